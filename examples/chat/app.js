/** Two people who talk: one sends a link, the other opens it. Nothing is lost when the network goes. */
import { createClient, login } from '@dodeca/client'

const here = new URLSearchParams(location.search)
const base_url = here.get('api') ?? 'http://localhost:8080'
const at = id => document.getElementById(id)
const say = text => (at('state').textContent = text)

let api
let chat
let me
let conversation_id = null

/** A message has one place, however often and in whichever order it comes. */
function show({ sequence, client_request_id, sender_id, body }) {
  const shown = at(`m${sequence}`) ?? at(client_request_id)
  const line = shown ?? document.createElement('li')
  line.id = `m${sequence}`
  line.value = sequence
  line.className = sender_id === me ? 'own' : ''
  line.textContent = body ?? 'This message was deleted.'
  const later = [...at('messages').children].find(one => one !== line && one.value > sequence)
  at('messages').insertBefore(line, later ?? null)
}

async function enter(id) {
  conversation_id = id
  at('open').hidden = true
  at('write').hidden = false
  const params = { path: { id } }
  const { data } = await api.GET('/v1/conversations/{id}/messages', { params })
  data.data.forEach(show)
}

async function start({ email, password }) {
  await createClient({ base_url }).POST('/v1/accounts', { body: { email, password } })
  api = await login({ base_url, email, password })
  me = api.session.account_id
  const invitation = new URL(location.href)
  invitation.searchParams.set('with', me)
  Object.assign(at('invitation'), { href: invitation, textContent: invitation })
  at('who').hidden = true
  at('room').hidden = false
  const inviter = here.get('with')
  at('open').hidden = !inviter || inviter === me

  chat = api.chat.connect()
  chat.on('online', () => say('Online'))
  chat.on('offline', ({ reason }) => say(`Offline: ${reason}`))
  chat.on('message', event => void receive(event).catch(error => say(error.message)))
}

async function receive(event) {
  // The first message of somebody else opens their conversation here.
  if (conversation_id === null) await enter(event.conversation_id)
  if (event.conversation_id === conversation_id) show(event.message)
}

at('who').onsubmit = event => {
  event.preventDefault()
  start(Object.fromEntries(new FormData(event.target))).catch(error => say(error.message))
}

at('open').onsubmit = async event => {
  event.preventDefault()
  const body = { type: 'direct', member_ids: [here.get('with')] }
  const { data } = await api.POST('/v1/conversations', { body })
  await enter(data.id)
}

at('write').onsubmit = async event => {
  event.preventDefault()
  const body = new FormData(event.target).get('body')
  event.target.reset()
  const request_id = crypto.randomUUID()
  const line = document.createElement('li')
  Object.assign(line, { id: request_id, className: 'own', textContent: `${body} …` })
  at('messages').append(line)
  try {
    // Resolves when the message is stored; until then it is sent again under the same id.
    const { sequence } = await chat.send({ conversation_id, request_id, body })
    show({ sequence, client_request_id: request_id, sender_id: me, body })
  } catch (error) {
    line.textContent = `${body} (not sent: ${error.message})`
  }
}
