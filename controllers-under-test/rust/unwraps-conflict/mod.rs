//! Assumes that it can create every key that is not in its store.
//!
//! Wrong: the key may exist already, from the previous reconcile or from a create whose answer was lost. `expect` ends the program.

use kube::ResourceExt;
use kube::api::PostParams;

use crate::common::{Keyring, Outcome, Steps, World};
use crate::correct::{new_key, revoke};

pub struct UnwrapsConflict;

impl Steps for UnwrapsConflict {
    async fn issue(keyring: &Keyring, world: &World) -> Outcome {
        let wanted: Vec<String> = (0..keyring.spec.keys).map(|index| format!("{}-key-{index}", keyring.name_any())).collect();
        let there = world.keys_of(keyring);
        for name in wanted.iter().filter(|name| !there.iter().any(|key| key.name_any() == **name)) {
            let mut key = new_key(keyring);
            key.metadata.name = Some(name.clone());
            world.secrets.create(&PostParams::default(), &key).await.expect("the key is not there yet");
        }
        for key in there.iter().filter(|key| !wanted.contains(&key.name_any())) {
            revoke(key, world).await?;
        }
        Ok(())
    }
}
