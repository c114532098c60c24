//! The model: what the protocol says, without a database. Time is in seconds and moves only by `Pass`.

use std::collections::BTreeMap;

use domain::event::EventStage::{self, Error, Final, Published, Queued, Received, Requeued, Running};
use domain::job::Claim;
use domain::{ClaimToken, JobId, JobState};

use super::command::Ending;

// No sum of the steps comes near a limit, so that the real time a test takes does not matter.
pub const LEASE: i64 = 10_000;
pub const SHORT_STEP: i64 = 3_100;
pub const LONG_STEP: i64 = 6_700;
pub const RETRY: i64 = 5_000;
pub const BOUND: i64 = 50_500;
pub const MAX_ATTEMPTS: u32 = 3;

/// A job as the model sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    pub state: JobState,
    pub attempts: u32,
    pub token: i64,
    pub crashes: u32,
    pub cancel: bool,
    pub stages: u32,
    pub events: Vec<EventStage>,
    pub published: u64,
    pub ended: u64,
    lease_until: i64,
    started: i64,
    run_after: i64,
}

/// What a guarded write answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    Done,
    Fenced,
    Cancelled,
    Refused,
}

#[derive(Default)]
pub struct Machine {
    pub now: i64,
    pub jobs: BTreeMap<JobId, Job>,
}

impl Machine {
    pub fn enqueue(&mut self, id: JobId, running: bool) {
        let mut job = Job {
            state: JobState::Pending,
            attempts: 0,
            token: 0,
            crashes: 0,
            cancel: false,
            stages: 0,
            events: vec![Queued],
            published: 0,
            ended: 0,
            lease_until: 0,
            started: 0,
            run_after: self.now,
        };
        if running {
            job.claim(self.now);
        }
        self.jobs.insert(id, job);
    }

    pub fn claimable(&self, crashed: bool) -> Vec<JobId> {
        let busy = self.jobs.values().any(|job| job.runs() && job.crashes > 0 && job.lease_until > self.now);
        if crashed && busy {
            return Vec::new();
        }
        let waits = |job: &Job| {
            job.state == JobState::Pending
                && job.run_after <= self.now
                && job.attempts < MAX_ATTEMPTS
                && (job.crashes > 0) == crashed
        };
        self.jobs.iter().filter(|(_, job)| waits(job)).map(|(id, _)| *id).collect()
    }

    pub fn claimed(&mut self, id: JobId) {
        let now = self.now;
        self.jobs.get_mut(&id).expect("a job of the model").claim(now);
    }

    fn held(&mut self, claim: Claim) -> Option<&mut Job> {
        let job = self.jobs.get_mut(&claim.job_id)?;
        (job.runs() && ClaimToken(job.token) == claim.token).then_some(job)
    }

    /// `None`: lost; otherwise whether a cancel was requested.
    pub fn beat(&mut self, claim: Claim) -> Option<bool> {
        let until = self.now + LEASE;
        let job = self.held(claim)?;
        job.lease_until = until;
        Some(job.cancel)
    }

    pub fn checkpoint(&mut self, claim: Claim, commits: bool) -> Answer {
        let Some(job) = self.held(claim) else { return Answer::Fenced };
        if job.cancel {
            return Answer::Cancelled;
        }
        if commits {
            job.stages += 1;
            job.events.push(Received);
        }
        Answer::Done
    }

    pub fn finish(&mut self, claim: Claim, ending: Ending) -> Answer {
        let due = self.now + RETRY;
        let Some(job) = self.held(claim) else { return Answer::Fenced };
        if job.cancel {
            job.end(JobState::Cancelled);
            return Answer::Done;
        }
        match ending {
            Ending::Success => {
                job.published += 1;
                job.events.push(Published);
                job.end(JobState::Succeeded);
            }
            Ending::BrokenPublish => return Answer::Refused,
            Ending::Reject => job.end(JobState::Failed),
            Ending::Cancelled => job.end(JobState::Cancelled),
            Ending::Retry if job.attempts >= MAX_ATTEMPTS => job.end(JobState::Failed),
            Ending::Retry => job.requeue(due),
        }
        Answer::Done
    }

    pub fn hand_back(&mut self, claim: Claim) -> Answer {
        let now = self.now;
        let Some(job) = self.held(claim) else { return Answer::Fenced };
        if job.cancel {
            job.end(JobState::Cancelled);
        } else {
            job.attempts -= 1;
            job.requeue(now);
        }
        Answer::Done
    }

    pub fn cancel(&mut self, id: JobId) {
        let job = self.jobs.get_mut(&id).expect("a job of the model");
        match job.state {
            JobState::Pending => job.end(JobState::Cancelled),
            JobState::Running => job.cancel = true,
            JobState::Succeeded | JobState::Failed | JobState::Cancelled => {}
        }
    }

    pub fn reap(&mut self, restart: bool) -> u64 {
        let now = self.now;
        let lapsed = |job: &&mut Job| job.runs() && (restart || job.lease_until < now || job.started < now - BOUND);
        let mut taken = 0;
        for job in self.jobs.values_mut().filter(lapsed) {
            taken += 1;
            job.crashes += 1;
            if job.cancel {
                job.end(JobState::Cancelled);
            } else if job.attempts >= MAX_ATTEMPTS {
                job.end(JobState::Failed);
            } else {
                job.requeue(now);
            }
        }
        taken
    }
}

impl Job {
    fn runs(&self) -> bool {
        self.state == JobState::Running
    }

    fn claim(&mut self, now: i64) {
        self.state = JobState::Running;
        self.attempts += 1;
        self.token += 1;
        self.lease_until = now + LEASE;
        self.started = now;
        self.events.push(Running);
    }

    fn requeue(&mut self, due: i64) {
        self.state = JobState::Pending;
        self.run_after = due;
        self.events.push(Requeued);
    }

    fn end(&mut self, state: JobState) {
        self.state = state;
        self.ended += 1;
        self.events.push(if state == JobState::Succeeded { Final } else { Error });
    }
}
