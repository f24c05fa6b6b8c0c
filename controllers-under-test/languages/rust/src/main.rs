//! Reconciles Buckets with kube-rs: a controller with a finalizer, and server-side apply for an owned ConfigMap and the status. KUBECONFIG
//! selects the API server.

mod bucket;
mod reconcile;

use std::sync::Arc;

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::runtime::{Controller, watcher};
use kube::{Api, Client};

use crate::bucket::Bucket;

#[tokio::main]
async fn main() -> Result<(), kube::Error> {
    let client = Client::try_default().await?;
    let buckets: Api<Bucket> = Api::namespaced(client.clone(), "default");
    let settings: Api<ConfigMap> = Api::namespaced(client.clone(), "default");
    Controller::new(buckets, watcher::Config::default())
        .owns(settings, watcher::Config::default())
        .graceful_shutdown_on(ended())
        .run(reconcile::reconcile, reconcile::on_error, Arc::new(reconcile::Context { client }))
        .for_each(|outcome| async move {
            match outcome {
                Ok((bucket, _)) => println!("reconciled {}", bucket.name),
                Err(error) => eprintln!("reconcile failed: {error}"),
            }
        })
        .await;
    Ok(())
}

/// Waits for Ctrl-C, or the signal that a container runtime sends.
async fn ended() {
    let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())
        .expect("a signal handler can be installed at start");
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        _ = terminate.recv() => {}
    }
}
