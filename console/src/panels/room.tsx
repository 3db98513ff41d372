/** A conversation as its members see it. Messages arrive over the socket of the platform. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { words } from '../language.ts'
import { callOperation, plain, type Page, type Row } from '../operation.ts'
import { ProblemBox } from '../problem-box.tsx'
import { client, me } from '../session.ts'
import { Time, Value } from '../value.tsx'
import type { PanelProps } from './panel.ts'

const shown_max = 100

type Chat = ReturnType<ReturnType<typeof client>['chat']['connect']>

export function Room({ path, row }: PanelProps) {
  const id = path['id'] ?? ''
  const { messages, online, error, send } = useRoom(id)
  return (
    <section class="card room">
      <h2>
        {words.room}{' '}
        <span class={`light ${online ? 'live' : 'connecting'}`} role="status">
          {online ? words.live : words.live_state.connecting}
        </span>
      </h2>
      <Messages messages={messages} />
      {error !== undefined && <ProblemBox error={error} />}
      {row['state'] !== 'closed' && <Say send={send} />}
    </section>
  )
}

function Messages({ messages }: { readonly messages: readonly Row[] }) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (list.current) list.current.scrollTop = list.current.scrollHeight
  }, [messages.length])
  return (
    <div class="scroll messages" ref={list} tabIndex={0} role="log" aria-label={words.room}>
      <ol>
        {messages.map(one => (
          <li key={plain(one['id'])} class={one['sender_id'] === me().id ? 'own' : undefined}>
            <span class="soft">
              <Value name="sender_id" value={one['sender_id']} row={one} />{' '}
              <Time value={plain(one['created_at'])} />
            </span>
            <bdi class="text">{one['body'] === null ? words.deleted : plain(one['body'])}</bdi>
          </li>
        ))}
      </ol>
    </div>
  )
}

function Say({ send }: { send(body: string): Promise<boolean> }) {
  const [body, type] = useState('')
  return (
    <form
      class="say"
      onSubmit={event => {
        event.preventDefault()
        if (body.trim() === '') return
        void send(body).then(sent => sent && type(''))
      }}
    >
      <input
        aria-label={words.message}
        placeholder={words.message}
        value={body}
        maxLength={4000}
        onInput={event => type(event.currentTarget.value)}
      />
      <button class="main">{words.send}</button>
    </form>
  )
}

function useRoom(id: string) {
  const [known, set] = useState<ReadonlyMap<string, Row>>(new Map())
  const [online, show] = useState(false)
  const [failure, fail] = useState<unknown>()
  const chat = useRef<Chat>()
  useEffect(() => {
    const add = (rows: readonly Row[]) =>
      set(now => new Map([...now, ...rows.map(row => [plain(row['id']), row] as const)]))
    const device = client().chat.connect()
    chat.current = device
    device.on('offline', () => show(false))
    device.on('message', event => event.conversation_id === id && add([event.message]))
    // The list is read after the socket is connected, so that no message between the two is missed.
    device.on('online', () => {
      show(true)
      const query = { limit: shown_max }
      callOperation('listMessages', { path: { id }, query }).then(
        page => add((page as Page).data),
        fail,
      )
    })
    return () => device.close()
  }, [id])
  const messages = [...known.values()].toSorted(
    (a, b) => Number(a['sequence']) - Number(b['sequence']),
  )
  const send = async (body: string) => {
    fail(undefined)
    try {
      await chat.current?.send({ conversation_id: id, body })
      return true
    } catch (error) {
      fail(error)
      return false
    }
  }
  return { messages, online, error: failure, send }
}
