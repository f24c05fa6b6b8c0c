//! Copies the size of each Widget from its spec into its status, and keeps a finalizer on the Widget.

mod failed;

use std::sync::Arc;

use futures::StreamExt;
use kube::api::{ListParams, Patch, PatchParams};
use kube::runtime::Controller;
use kube::runtime::controller::Action;
use kube::runtime::finalizer::{self, Event, finalizer};
use kube::{Api, Client, CustomResource, ResourceExt};
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(CustomResource, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "example.com", version = "v1", kind = "Widget", namespaced, status = "WidgetStatus", schema = "disabled")]
struct WidgetSpec {
    size: i64,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
struct WidgetStatus {
    size: Option<i64>,
}

async fn reconcile(widget: Arc<Widget>, widgets: Arc<Api<Widget>>) -> Result<Action, finalizer::Error<kube::Error>> {
    finalizer(&widgets, "example.com/widgets", widget, |event| report(event, widgets.clone())).await
}

async fn report(event: Event<Widget>, api: Arc<Api<Widget>>) -> Result<Action, kube::Error> {
    if let Event::Apply(widget) = event {
        if widget.status.as_ref().and_then(|status| status.size) != Some(widget.spec.size) {
            let status = Patch::Merge(json!({ "status": { "size": widget.spec.size } }));
            api.patch_status(&widget.name_any(), &PatchParams::default(), &status).await?;
        }
    }
    Ok(Action::await_change())
}

#[tokio::main]
async fn main() -> Result<(), kube::Error> {
    let client = Client::try_default().await?;
    let widgets: Api<Widget> = Api::namespaced(client, "default");
    Controller::new(widgets.clone(), ListParams::default())
        .run(reconcile, failed::on_error, Arc::new(widgets))
        .for_each(|outcome| async move {
            if let Err(error) = outcome {
                eprintln!("reconcile failed: {}", error);
            }
        })
        .await;
    Ok(())
}
