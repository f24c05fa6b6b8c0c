//! Reconciles Buckets. The settings are owned, so that the garbage collector deletes them; the credentials are not: they represent
//! something outside of the cluster, and the finalizer keeps the bucket until they are deleted.

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::{DeleteParams, Patch, PatchParams};
use kube::runtime::controller::Action;
use kube::runtime::finalizer::{self, Event, finalizer};
use kube::{Api, Client, Resource, ResourceExt};
use serde_json::json;

use crate::bucket::Bucket;

const FINALIZER: &str = "storage.example.com/cleanup";
const MANAGER: &str = "bucket-controller-rust";

pub struct Context {
    pub client: Client,
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("request: {0}")]
    Request(#[from] kube::Error),
    #[error("finalizer: {0}")]
    Finalizer(#[from] Box<finalizer::Error<Error>>),
}

pub async fn reconcile(bucket: Arc<Bucket>, context: Arc<Context>) -> Result<Action, Error> {
    let namespace = bucket.namespace().unwrap_or_default();
    let buckets: Api<Bucket> = Api::namespaced(context.client.clone(), &namespace);
    finalizer(&buckets, FINALIZER, bucket, |event| async {
        match event {
            Event::Apply(bucket) => provide(&bucket, &namespace, &context.client).await,
            Event::Cleanup(bucket) => clean_up(&bucket, &namespace, &context.client).await,
        }
    })
    .await
    .map_err(|error| Error::Finalizer(Box::new(error)))
}

pub fn on_error(_bucket: Arc<Bucket>, _error: &Error, _context: Arc<Context>) -> Action {
    Action::requeue(Duration::from_millis(500))
}

async fn provide(bucket: &Bucket, namespace: &str, client: &Client) -> Result<Action, Error> {
    let name = bucket.name_any();
    let region = bucket.spec.region.as_deref().unwrap_or("north");
    let force = PatchParams::apply(MANAGER).force();

    let settings_name = format!("{name}-settings");
    let settings = json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": { "name": settings_name, "ownerReferences": [bucket.controller_owner_ref(&())] },
        "data": { "sizeGiB": bucket.spec.size_gib.to_string(), "region": region },
    });
    let config_maps: Api<ConfigMap> = Api::namespaced(client.clone(), namespace);
    config_maps.patch(&settings_name, &force, &Patch::Apply(&settings)).await?;

    let credentials_name = format!("{name}-credentials");
    let credentials = json!({
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": { "name": credentials_name },
        "stringData": { "user": format!("bucket-{name}") },
    });
    let secrets: Api<Secret> = Api::namespaced(client.clone(), namespace);
    secrets.patch(&credentials_name, &force, &Patch::Apply(&credentials)).await?;

    report(bucket, namespace, region, client).await?;
    Ok(Action::await_change())
}

async fn report(bucket: &Bucket, namespace: &str, region: &str, client: &Client) -> Result<(), Error> {
    let name = bucket.name_any();
    let generation = bucket.metadata.generation;
    let message = format!("{} GiB in {region}", bucket.spec.size_gib);
    let old = bucket.status.as_ref().and_then(|status| status.conditions.iter().find(|condition| condition.type_ == "Ready"));
    if old.is_some_and(|old| old.message == message && old.observed_generation == generation) {
        return Ok(());
    }
    let transition = match old {
        Some(old) if old.status == "True" => json!(old.last_transition_time),
        _ => json!("2026-01-01T00:00:00Z"),
    };
    let status = json!({
        "apiVersion": Bucket::api_version(&()),
        "kind": Bucket::kind(&()),
        "status": {
            "observedGeneration": generation,
            "endpoint": format!("https://{name}.{region}.storage.example.com"),
            "conditions": [{
                "type": "Ready",
                "status": "True",
                "reason": "Provided",
                "message": message,
                "observedGeneration": generation,
                "lastTransitionTime": transition,
            }],
        },
    });
    let buckets: Api<Bucket> = Api::namespaced(client.clone(), namespace);
    buckets.patch_status(&name, &PatchParams::apply(MANAGER).force(), &Patch::Apply(&status)).await?;
    Ok(())
}

async fn clean_up(bucket: &Bucket, namespace: &str, client: &Client) -> Result<Action, Error> {
    let secrets: Api<Secret> = Api::namespaced(client.clone(), namespace);
    match secrets.delete(&format!("{}-credentials", bucket.name_any()), &DeleteParams::default()).await {
        Ok(_) => {}
        Err(kube::Error::Api(status)) if status.code == 404 => {}
        Err(error) => return Err(error.into()),
    }
    Ok(Action::await_change())
}
