/**
 * An application with a server, which logs people in at the platform with openid-client. It keeps its
 * log-ins in memory; yours has sessions of its own. Set CLIENT_ID and CLIENT_SECRET of a client of the
 * type `web` with the redirect URI below.
 */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import * as oidc from 'openid-client'

const { API = 'http://localhost:8080', PORT = '9000', CLIENT_ID, CLIENT_SECRET } = process.env
const here = `http://127.0.0.1:${PORT}`
const redirect_uri = `${here}/back`

// oxlint-disable-next-line typescript/no-deprecated -- plain http is for your own machine alone
const execute = API.startsWith('http:') ? [oidc.allowInsecureRequests] : []

// The address says all the others.
const config = await oidc.discovery(
  new URL(API),
  CLIENT_ID,
  { id_token_signed_response_alg: 'ES256' },
  oidc.ClientSecretBasic(CLIENT_SECRET),
  { execute },
)

/** By a cookie: what a log-in needs when it comes back, and later the tokens of the person. */
const sessions = new Map()

/** Sends the person to the platform. The cookie binds the way back to this browser. */
async function begin(session) {
  session.pkceCodeVerifier = oidc.randomPKCECodeVerifier()
  session.expectedState = oidc.randomState()
  session.expectedNonce = oidc.randomNonce()
  const url = oidc.buildAuthorizationUrl(config, {
    redirect_uri,
    scope: 'openid profile email chat.read',
    code_challenge: await oidc.calculatePKCECodeChallenge(session.pkceCodeVerifier),
    code_challenge_method: 'S256',
    state: session.expectedState,
    nonce: session.expectedNonce,
  })
  return { to: url.href }
}

/** The person comes back with a code. openid-client checks the state, the issuer and the id_token. */
async function comeBack(session, url) {
  const { pkceCodeVerifier, expectedState, expectedNonce } = session
  const checks = { pkceCodeVerifier, expectedState, expectedNonce }
  const tokens = await oidc.authorizationCodeGrant(config, url, checks)
  session.person = tokens.claims().sub
  session.access_token = tokens.access_token
  return { to: '/' }
}

/** The application calls the API with the rights that the person gave it. */
async function home({ person, access_token }) {
  if (!person) return { text: 'You are not logged in. Open /login.' }
  const ask = path =>
    fetch(`${API}${path}`, { headers: { authorization: `Bearer ${access_token}` } })
  const [me, chats, jobs] = await Promise.all(
    ['/v1/me', '/v1/conversations', '/v1/jobs'].map(path => ask(path)),
  )
  if (me.status === 401) return { text: 'Your access has ended. Open /login.' }
  const { email } = await me.json()
  return { text: `You are ${email}. Conversations: ${chats.status}. Jobs: ${jobs.status}.` }
}

async function answer(request, response) {
  const url = new URL(request.url, here)
  const known = /(?:^|; )app=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1]
  const id = sessions.has(known) ? known : randomUUID()
  const session = sessions.get(id) ?? {}
  sessions.set(id, session)
  response.setHeader('set-cookie', `app=${id}; HttpOnly; SameSite=Lax; Path=/`)
  try {
    const pages = { '/login': begin, '/back': comeBack, '/': home }
    const { to, text = '' } = (await pages[url.pathname]?.(session, url)) ?? { text: 'Not here.' }
    response.writeHead(to ? 303 : 200, to ? { location: to } : { 'content-type': 'text/plain' })
    response.end(`${text}\n`)
  } catch (error) {
    response.writeHead(400, { 'content-type': 'text/plain' })
    response.end(`The log-in did not succeed: ${error.error ?? error.message}\n`)
  }
}

createServer((request, response) => void answer(request, response)).listen(
  Number(PORT),
  '127.0.0.1',
  () => process.stdout.write(`The application is at ${here}\n`),
)
