//! Writes its finalizer with a merge patch of the list in the store.
//!
//! Wrong: a merge patch replaces a list as a whole, and without a resourceVersion it never conflicts. A finalizer that another writer has
//! added, and the store does not show yet, is lost.

use std::sync::Arc;

use kube::ResourceExt;
use kube::api::{Patch, PatchParams};
use kube::runtime::controller::Action;
use kube::runtime::finalizer::Event;
use serde_json::json;

use crate::common::{Error, Keyring, Outcome, Steps, World, act};
use crate::correct::FINALIZER;

pub struct MergesFinalizers;

impl Steps for MergesFinalizers {
    async fn hold(keyring: Arc<Keyring>, world: &World) -> Result<Action, Error> {
        let mut finalizers = keyring.finalizers().to_vec();
        let held = finalizers.iter().any(|finalizer| finalizer == FINALIZER);
        match (held, keyring.metadata.deletion_timestamp.is_some()) {
            (true, false) => act::<Self>(Event::Apply(keyring), world).await,
            (false, false) => {
                finalizers.push(FINALIZER.to_owned());
                write_finalizers(&keyring, &finalizers, world).await?;
                Ok(Action::await_change())
            }
            (true, true) => {
                let action = act::<Self>(Event::Cleanup(keyring.clone()), world).await?;
                finalizers.retain(|finalizer| finalizer != FINALIZER);
                write_finalizers(&keyring, &finalizers, world).await?;
                Ok(action)
            }
            (false, true) => Ok(Action::await_change()),
        }
    }
}

async fn write_finalizers(keyring: &Keyring, finalizers: &[String], world: &World) -> Outcome {
    let patch = json!({ "metadata": { "finalizers": finalizers } });
    world.keyrings.patch(&keyring.name_any(), &PatchParams::default(), &Patch::Merge(&patch)).await?;
    Ok(())
}
