//! What processes may do, in any order.

use proptest::prelude::*;

/// How a worker ends its claim.
#[derive(Clone, Copy, Debug)]
pub enum Ending {
    Success,
    /// A success whose publish fails.
    BrokenPublish,
    Reject,
    Retry,
    Cancelled,
}

/// One step. Numbers pick a claim (old ones too: zombies) or a job, modulo what there is.
#[derive(Clone, Copy, Debug)]
pub enum Command {
    Enqueue,
    EnqueueRunning,
    Claim {
        slots: u32,
    },
    ClaimCrashed,
    /// Every claim ever made beats in one statement, or only every second one.
    Beat {
        every: usize,
    },
    Checkpoint {
        claim: usize,
    },
    /// A stage whose transaction is dropped.
    AbandonStage {
        claim: usize,
    },
    Finish {
        claim: usize,
        ending: Ending,
        next: bool,
    },
    HandBack {
        claim: usize,
    },
    Cancel {
        job: usize,
    },
    Reap,
    Restart,
    Pass {
        long: bool,
    },
}

fn command() -> impl Strategy<Value = Command> {
    let any_index = || 0_usize..64;
    let ending = prop_oneof![
        3 => Just(Ending::Success),
        1 => Just(Ending::BrokenPublish),
        1 => Just(Ending::Reject),
        2 => Just(Ending::Retry),
        1 => Just(Ending::Cancelled),
    ];
    prop_oneof![
        4 => Just(Command::Enqueue),
        1 => Just(Command::EnqueueRunning),
        5 => (0_u32..4).prop_map(|slots| Command::Claim { slots }),
        3 => Just(Command::ClaimCrashed),
        2 => (1_usize..3).prop_map(|every| Command::Beat { every }),
        3 => any_index().prop_map(|claim| Command::Checkpoint { claim }),
        1 => any_index().prop_map(|claim| Command::AbandonStage { claim }),
        6 => (any_index(), ending, any::<bool>())
            .prop_map(|(claim, ending, next)| Command::Finish { claim, ending, next }),
        2 => any_index().prop_map(|claim| Command::HandBack { claim }),
        2 => any_index().prop_map(|job| Command::Cancel { job }),
        3 => Just(Command::Reap),
        1 => Just(Command::Restart),
        4 => any::<bool>().prop_map(|long| Command::Pass { long }),
    ]
}

pub fn sequences() -> impl Strategy<Value = Vec<Command>> {
    prop::collection::vec(command(), 1..45)
}
