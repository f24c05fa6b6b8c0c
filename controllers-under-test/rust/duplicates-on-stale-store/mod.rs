//! Creates as many keys as its store lacks, with generated names.
//!
//! Wrong: a key that exists but has not reached the store yet is created again. The extra one is revoked when the store catches up, but
//! until then there are more valid keys than any spec asked for.

use kube::ResourceExt;
use kube::api::PostParams;

use crate::common::{Keyring, Outcome, Steps, World};
use crate::correct::{new_key, revoke};

pub struct DuplicatesOnStaleStore;

impl Steps for DuplicatesOnStaleStore {
    async fn issue(keyring: &Keyring, world: &World) -> Outcome {
        let mut there = world.keys_of(keyring);
        there.retain(|key| key.metadata.deletion_timestamp.is_none());
        for _ in there.len()..keyring.spec.keys {
            let mut key = new_key(keyring);
            key.metadata.generate_name = Some(format!("{}-key-", keyring.name_any()));
            world.secrets.create(&PostParams::default(), &key).await?;
        }
        for key in there.iter().skip(keyring.spec.keys) {
            revoke(key, world).await?;
        }
        Ok(())
    }
}
