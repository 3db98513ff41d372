/** What wakes the loops and streams of every process (`tx.wake`); each loop listens to its own name. */
export const send_topic = 'notifications.send'
export const batches_topic = 'notifications.batches'
export const inbox_topic = 'notifications.inbox'
