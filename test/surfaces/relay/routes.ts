/** The relay's routes: one operation outside and two streams. */
export { sendRoute } from './send-message.ts'
export { streamRoutes } from './stream-words.ts'
