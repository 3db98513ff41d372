/** The exports of the package. */
export type { Chat } from './chat.ts'
export { ChatRefused } from './chat-types.ts'
export type {
  ChatDraft,
  ChatEvents,
  ChatMessage,
  ChatOptions,
  ChatPositions,
  ChatSent,
} from './chat-types.ts'
export { createClient } from './client.ts'
export type { DodecaClient, PageOf } from './client.ts'
export { ConnectionError, Problem } from './problem.ts'
export type { ProblemBody } from './problem.ts'
export type { ClientOptions } from './sending.ts'
export type { components, operations, paths, ProblemCode } from './schema.d.ts'
export { login, loginCode, resume, SecondFactorMissing } from './login.ts'
export type {
  LoggedIn,
  LoginOptions,
  SecondFactor,
  SecondFactorRequired,
  SessionState,
} from './login.ts'
export { resumePage } from './page-session.ts'
export type { PageSession } from './page-session.ts'
export { serverEvents } from './server-events.ts'
export type { ServerEvent } from './server-events.ts'
export { InferenceFailed } from './inferences.ts'
export type { InferenceEvent, InferenceRequest, Inferences, StreamOptions } from './inferences.ts'
export type { Job, Jobs } from './jobs.ts'
export type { InboxEvent, InboxItem, InboxOptions, Notifications } from './notifications.ts'
export { UploadFailed } from './uploads.ts'
export type { PutOptions, StoredFile, UploadProgress, Uploads } from './uploads.ts'
export { challengeOf, verifyWebhook, WebhookRefused } from './webhook.ts'
export type {
  VerifyOptions,
  Webhook,
  WebhookEvent,
  WebhookHeaders,
  WebhookRefusal,
} from './webhook.ts'
