//! Reads the ConfigMap, changes its own part of it, and applies the whole object, by force.
//!
//! Wrong: fields of other writers are applied too. Changes that they made since the read are reverted, and with `force` there is no
//! conflict.

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
