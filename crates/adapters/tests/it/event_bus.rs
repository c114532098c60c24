//! What every event bus must do, and what the memory bus promises beyond it.

use std::sync::Arc;

use domain::limits;
use domain::ports::bus::{BusMessage, EventBus, Subscription};
use flyquery_adapters::event_bus::MemoryBus;
use futures::FutureExt;
use uuid::Uuid;

fn message(topic: &str, n: u128) -> BusMessage {
    BusMessage {
        id: Uuid::from_u128(n),
        topic: topic.to_owned(),
        event_type: "IngestRequested".to_owned(),
        payload: serde_json::json!({ "n": n as u64 }),
    }
}

async fn publish(bus: &dyn EventBus, topic: &str, n: u128) {
    bus.publish(message(topic, n)).await.expect("the bus takes it");
}

async fn next(listener: &mut Box<dyn Subscription>) -> BusMessage {
    listener.next().await.expect("a message")
}

fn quiet(listener: &mut Box<dyn Subscription>) -> bool {
    listener.next().now_or_never().is_none()
}

async fn every_listener_of_a_topic_gets_each_message_in_order(bus: Arc<dyn EventBus>) {
    let mut one = bus.subscribe("a").await.expect("subscribed");
    let mut two = bus.subscribe("a").await.expect("subscribed");
    let mut other = bus.subscribe("b").await.expect("subscribed");
    publish(&*bus, "a", 1).await;
    publish(&*bus, "a", 2).await;
    for listener in [&mut one, &mut two] {
        assert_eq!(next(listener).await, message("a", 1));
        assert_eq!(next(listener).await, message("a", 2));
    }
    assert!(quiet(&mut other), "another topic hears nothing");
}

async fn a_message_without_listeners_is_no_error_and_is_not_kept(bus: Arc<dyn EventBus>) {
    publish(&*bus, "late", 1).await;
    let mut listener = bus.subscribe("late").await.expect("subscribed");
    publish(&*bus, "late", 2).await;
    assert_eq!(next(&mut listener).await, message("late", 2));
}

async fn a_listener_that_left_does_not_disturb_the_others(bus: Arc<dyn EventBus>) {
    let gone = bus.subscribe("a").await.expect("subscribed");
    let mut stays = bus.subscribe("a").await.expect("subscribed");
    drop(gone);
    publish(&*bus, "a", 7).await;
    assert_eq!(next(&mut stays).await, message("a", 7));
}

#[tokio::test]
async fn memory_bus_keeps_the_contract() {
    every_listener_of_a_topic_gets_each_message_in_order(Arc::new(MemoryBus::new())).await;
    a_message_without_listeners_is_no_error_and_is_not_kept(Arc::new(MemoryBus::new())).await;
    a_listener_that_left_does_not_disturb_the_others(Arc::new(MemoryBus::new())).await;
}

#[tokio::test]
async fn a_slow_listener_of_the_memory_bus_misses_the_oldest_messages_only() {
    let bus = MemoryBus::new();
    let mut slow = bus.subscribe("a").await.expect("subscribed");
    let sent = limits::BUS_BUFFER as u128 * 3;
    for n in 0..sent {
        publish(&bus, "a", n).await;
    }
    let mut seen = Vec::new();
    // Unconstrained: else tokio's cooperative budget would look like an empty buffer.
    while let Some(got) = tokio::task::unconstrained(slow.next()).now_or_never() {
        seen.push(got.expect("lagging is no error").id.as_u128());
    }
    assert_eq!(seen.len(), limits::BUS_BUFFER);
    assert_eq!(seen.last(), Some(&(sent - 1)));
    publish(&bus, "a", sent).await;
    assert_eq!(next(&mut slow).await.id.as_u128(), sent, "it hears again");
}

#[tokio::test]
async fn a_listener_outlives_its_bus_only_to_learn_that_it_is_gone() {
    let bus = MemoryBus::new();
    let mut listener = bus.subscribe("a").await.expect("subscribed");
    publish(&bus, "a", 1).await;
    drop(bus);
    assert_eq!(next(&mut listener).await, message("a", 1));
    assert!(listener.next().await.is_err());
}
