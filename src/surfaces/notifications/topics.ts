/**
 * The topics that wake the loops and streams of every process (`tx.wake`). Each loop listens to its
 * own name.
 */
/** The activity that an operator pauses to stop all sending (`POST /v1/job-types/{type}/pause`). */
export const sending_activity = 'notifications.deliver'

export const send_topic = 'notifications.send'
export const batches_topic = 'notifications.batches'
export const inbox_topic = 'notifications.inbox'
