//! Keeps a ConfigMap for each Widget, and watches both with streaming lists.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Patch, PatchParams};
use kube::runtime::controller::Action;
use kube::runtime::{Controller, watcher};
use kube::{Api, Client, CustomResource, Resource, ResourceExt};
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(CustomResource, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "example.com", version = "v1", kind = "Widget", namespaced, schema = "disabled")]
struct WidgetSpec {
    size: i64,
}

async fn reconcile(widget: Arc<Widget>, config_maps: Arc<Api<ConfigMap>>) -> Result<Action, kube::Error> {
    if widget.metadata.deletion_timestamp.is_some() {
        return Ok(Action::await_change());
    }
    let name = widget.name_any();
    let wanted = Patch::Apply(json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": { "name": name, "ownerReferences": [widget.controller_owner_ref(&())] },
        "data": { "size": widget.spec.size.to_string() },
    }));
    config_maps.patch(&name, &PatchParams::apply("widgets").force(), &wanted).await?;
    Ok(Action::await_change())
}

fn on_error(_: Arc<Widget>, _: &kube::Error, _: Arc<Api<ConfigMap>>) -> Action {
    Action::requeue(Duration::from_secs(1))
}

#[tokio::main]
async fn main() -> Result<(), kube::Error> {
    let client = Client::try_default().await?;
    let widgets: Api<Widget> = Api::namespaced(client.clone(), "default");
    let config_maps: Api<ConfigMap> = Api::namespaced(client, "default");
    let streaming = watcher::Config::default().streaming_lists();
    Controller::new(widgets, streaming.clone())
        .owns(config_maps.clone(), streaming)
        .run(reconcile, on_error, Arc::new(config_maps))
        .for_each(|outcome| async move {
            if let Err(error) = outcome {
                eprintln!("reconcile failed: {error}");
            }
        })
        .await;
    Ok(())
}
