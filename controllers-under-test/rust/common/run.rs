//! The watches, which reconciles they trigger, and the shutdown. KUBECONFIG selects the API server.

use std::sync::Arc;

use futures::channel::mpsc;
use futures::{StreamExt, TryStreamExt};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::runtime::{Controller, WatchStreamExt, reflector, watcher};
use kube::{Api, Client};

use super::Keyring;
use super::reconcile::{Steps, World, on_error, reconcile};

pub async fn run<S: Steps>() -> Result<(), kube::Error> {
    let client = Client::try_default().await?;
    let namespace = client.default_namespace().to_owned();
    let keyrings: Api<Keyring> = Api::namespaced(client.clone(), &namespace);
    let secrets: Api<Secret> = Api::namespaced(client.clone(), &namespace);
    let config_maps: Api<ConfigMap> = Api::namespaced(client.clone(), &namespace);

    // A list does not report what was deleted while the watch was down, so each list triggers a reconcile of all keyrings.
    let (listed, lists) = mpsc::unbounded();
    let (issued, writer) = reflector::store();
    let keys = watcher(secrets.clone(), watcher::Config::default())
        .default_backoff()
        .reflect(writer)
        .inspect_ok(announce(listed.clone()))
        .touched_objects();
    let published = watcher(config_maps.clone(), watcher::Config::default())
        .default_backoff()
        .inspect_ok(announce(listed))
        .touched_objects();

    let world = World { keyrings: keyrings.clone(), secrets, config_maps, issued, backoff: Default::default() };
    Controller::new(keyrings, watcher::Config::default())
        .owns_stream(keys)
        .owns_stream(published)
        .reconcile_all_on(lists)
        .graceful_shutdown_on(ended())
        .run(reconcile::<S>, on_error::<S>, Arc::new(world))
        .for_each(|outcome| async move {
            match outcome {
                Ok((keyring, _)) => println!("reconciled {}", keyring.name),
                Err(error) => eprintln!("reconcile failed: {error}"),
            }
        })
        .await;
    Ok(())
}

fn announce<K>(listed: mpsc::UnboundedSender<()>) -> impl FnMut(&watcher::Event<K>) {
    move |event| {
        if let watcher::Event::InitDone = event {
            // The receiver no longer exists when the controller shuts down.
            let _ = listed.unbounded_send(());
        }
    }
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
