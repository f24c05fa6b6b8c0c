//! Reads the ConfigMap, changes its part of it, and applies it as a whole, by force.
//!
//! Wrong: what others own in it is applied too. Their change since the read goes back to what it was, and with `force` nobody hears
//! of it.

use kube::ResourceExt;
use kube::api::{Patch, PatchParams};

use crate::common::{Keyring, Outcome, Steps, World};
use crate::correct::{self, MANAGER, public_data};

pub struct ForcesApply;

impl Steps for ForcesApply {
    async fn publish(keyring: &Keyring, world: &World) -> Outcome {
        let name = format!("{}-public", keyring.name_any());
        let Some(mut public) = world.config_maps.get_opt(&name).await? else {
            return correct::publish(keyring, world).await;
        };
        public.data.get_or_insert_default().extend(public_data(keyring));
        public.metadata.managed_fields = None;
        public.metadata.resource_version = None;
        world.config_maps.patch(&name, &PatchParams::apply(MANAGER).force(), &Patch::Apply(&public)).await?;
        Ok(())
    }
}
