/**
 * The elements for pages, as the module `/client/v1/elements.js`. Importing it defines them in a
 * browser, and does nothing on a server.
 */
import { define } from './base-element.ts'
import { ChatElement } from './chat/chat-element.tsx'

export { connect } from './connection.ts'

define('dodeca-chat', ChatElement)
