//! How long a failed keyring waits for its next attempt: twice as long each time, up to a minute.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use kube::runtime::reflector::ObjectRef;

use super::Keyring;

const FIRST: Duration = Duration::from_millis(50);
const LONGEST: Duration = Duration::from_secs(60);

#[derive(Default)]
pub struct Backoff {
    failures: Mutex<HashMap<ObjectRef<Keyring>, u32>>,
}

impl Backoff {
    pub fn failed(&self, keyring: &Keyring) -> Duration {
        let mut failures = self.failures.lock().expect("nobody panics while counting");
        let count = failures.entry(ObjectRef::from_obj(keyring)).or_default();
        let wait = FIRST.saturating_mul(2_u32.saturating_pow(*count)).min(LONGEST);
        *count += 1;
        wait
    }

    pub fn succeeded(&self, keyring: &Keyring) {
        self.failures.lock().expect("nobody panics while counting").remove(&ObjectRef::from_obj(keyring));
    }
}
