/** What wakes the loops and streams of every process (`tx.wake`); each loop listens to its own name. */
/** What an operator pauses to stop all sending (`POST /v1/job-types/{type}/pause`). */
export const sending_activity = 'notifications.deliver'

export const send_topic = 'notifications.send'
export const batches_topic = 'notifications.batches'
export const inbox_topic = 'notifications.inbox'
