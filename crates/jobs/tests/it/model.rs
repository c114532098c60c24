//! The protocol against an executable model: sequences of everything that processes may do, zombies included, must leave
//! the rows and the ledger that the model says.

mod command;
mod machine;
mod world;

use proptest::test_runner::{Config, TestCaseError, TestRunner};
use tokio::runtime::Handle;
use tokio::task::block_in_place;

/// Sequences per database; each is a fresh queue.
const CASES: u32 = 40;

test_support::for_each_db! {
    async fn any_sequence_of_commands_leaves_what_the_model_says(db: TestDb) {
        let config = Config { cases: CASES, failure_persistence: None, max_shrink_iters: 400, ..Config::default() };
        let mut runner = TestRunner::new(config);
        let outcome = block_in_place(|| {
            runner.run(&command::sequences(), |commands| {
                let run = world::run(&db, &commands);
                Handle::current().block_on(run).map_err(TestCaseError::fail)
            })
        });
        if let Err(error) = outcome {
            panic!("{error}");
        }
    }
}
