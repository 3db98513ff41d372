/** What a person sees of a conversation. All texts of others are text, never markup. */
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import type { ChatMessage } from '../../src/index.ts'
import type { Words } from '../words.ts'
import type { Unsent } from './outbox.ts'
import type { Room } from './room.ts'
import { useLog } from './use-log.ts'

type Given = { readonly room: Room; readonly words: Words }
type Of<T> = Given & T

const body_length_max = 8000

export function ChatView({ room, words }: Given): JSX.Element {
  const log = useLog(room)
  const writing = [...room.typing.keys()].map(id => room.names.get(id) ?? words.other)
  const label = room.conversation?.title ?? words.chat
  return (
    <>
      <p class="dd-state" role="status">
        {stateOf(room, words)}
      </p>
      <div
        class="dd-log"
        role="log"
        tabIndex={0}
        aria-label={label}
        aria-busy={room.is_busy}
        {...log}
      >
        {room.has_older && (
          <button type="button" class="dd-button" onClick={() => void room.loadOlder()}>
            {words.older}
          </button>
        )}
        <Messages room={room} words={words} />
      </div>
      <p class="dd-typing" aria-live="polite">
        {writing.length > 0 && `${words.typing}: ${writing.join(', ')} …`}
      </p>
      <Composer room={room} words={words} />
    </>
  )
}

function stateOf(room: Room, words: Words): string {
  const { state, failure, conversation, messages, outbox } = room
  if (state !== 'online') return words[state]
  if (failure) return `${words.failed} ${failure}`
  if (!conversation) return words.loading
  if (conversation.state === 'closed') return words.closed
  return messages.length + outbox.list.length === 0 ? words.empty : ''
}

function Messages({ room, words }: Given): JSX.Element {
  const { messages, conversation, outbox } = room
  const stored = new Set(messages.map(one => one.client_request_id))
  const waiting = outbox.list.filter(one => !stored.has(one.request_id))
  const read_before = conversation?.me.last_read_sequence ?? 0
  const found = messages.find(one => one.sequence > read_before && !room.isOwn(one))
  const fresh = found && found.sequence <= (conversation?.latest_sequence ?? 0) ? found : null
  return (
    <ol class="dd-messages">
      {messages.flatMap(one => [
        one === fresh && read_before > 0 && (
          <li key="fresh" class="dd-fresh">
            {words.fresh}
          </li>
        ),
        <Message key={one.sequence} room={room} words={words} message={one} />,
      ])}
      {waiting.map(one => (
        <Waiting key={one.request_id} room={room} words={words} unsent={one} />
      ))}
      <Readers room={room} words={words} last={messages.at(-1)} />
    </ol>
  )
}

function Message({ room, words, message }: Of<{ message: ChatMessage }>): JSX.Element {
  const { sender_id, body, created_at, edited_at, deleted_at, attachments } = message
  const is_own = room.isOwn(message)
  const time = { dateStyle: 'short', timeStyle: 'short' } as const
  return (
    <li class={is_own ? 'dd-message dd-own' : 'dd-message'}>
      <p class="dd-about">
        <bdi>{is_own ? words.you : (room.names.get(sender_id) ?? words.other)}</bdi>{' '}
        <time dateTime={created_at}>{new Date(created_at).toLocaleString(words.locale, time)}</time>
        {edited_at !== null && deleted_at === null && ` (${words.edited})`}
      </p>
      {deleted_at !== null && <p class="dd-about">{words.deleted}</p>}
      {body && <Body text={body} />}
      {attachments.map(one => (
        <Attachment key={one.id} room={room} words={words} file={one} />
      ))}
    </li>
  )
}

const Body = ({ text }: { text: string }) => (
  <p class="dd-body" dir="auto">
    {text}
  </p>
)

function Attachment({ room, words, file }: Of<{ file: ChatMessage['attachments'][number] }>) {
  const { file_id, state, filename } = file
  const name = filename ?? words.file
  if (file_id !== null && state === 'available') {
    return (
      <button type="button" class="dd-button" onClick={() => void room.download(file_id)}>
        <bdi>{name}</bdi>
      </button>
    )
  }
  const why = state === 'pending' || state === 'processing' ? words.checked : words.unavailable
  return <p class="dd-about">{`\u2068${name}\u2069 ${why}`}</p>
}

function Waiting({ room, words, unsent }: Of<{ unsent: Unsent }>): JSX.Element {
  const { request_id, body, refused } = unsent
  return (
    <li class="dd-message dd-own dd-unsent">
      <Body text={body} />
      <p class="dd-about">
        {refused === undefined ? words.waiting : `${words.refused} ${refused}`}
      </p>
      {refused !== undefined && (
        <>
          <button type="button" class="dd-button" onClick={() => room.send(body, request_id)}>
            {words.retry}
          </button>{' '}
          <button type="button" class="dd-button" onClick={() => room.discard(unsent)}>
            {words.discard}
          </button>
        </>
      )}
    </li>
  )
}

/** Below the newest message, if it is one's own. */
function Readers({ room, words, last }: Of<{ last: ChatMessage | undefined }>) {
  if (!last || !room.isOwn(last)) return null
  const readers = [...room.read].filter(
    ([user_id, sequence]) => sequence >= last.sequence && user_id !== last.sender_id,
  )
  if (readers.length === 0) return null
  const many = room.conversation?.type === 'direct' ? '' : `: ${readers.length}`
  return <li class="dd-readers">{words.read + many}</li>
}

function Composer({ room, words }: Given): JSX.Element {
  const field = useRef<HTMLTextAreaElement>(null)
  const send = (event: Event) => {
    event.preventDefault()
    const text = field.current?.value.trim()
    if (!field.current || !text || !room.is_open) return
    field.current.value = ''
    room.send(text)
  }
  // Enter also ends the choice of a word in Japanese or Chinese.
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) send(event)
  }
  return (
    <form class="dd-form" onSubmit={send}>
      <label class="dd-label">
        {words.message}
        <textarea
          ref={field}
          class="dd-field"
          rows={2}
          dir="auto"
          title={words.hint}
          maxLength={body_length_max}
          disabled={!room.is_open}
          onKeyDown={press}
          onInput={({ currentTarget: { value } }) => room.tellTyping(value !== '')}
        />
      </label>
      <button class="dd-button dd-send" disabled={!room.is_open}>
        {words.send}
      </button>
    </form>
  )
}
