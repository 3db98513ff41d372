/**
 * The SMS vendor, with the protocol of Twilio. Messages are created with an account and its token,
 * and listed by number. Reports go to the address that each message names, with
 * `X-Twilio-Signature`.
 */
import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { controlPlane } from '../control.ts'
import { faultRoutes, openHttpFaults, underFault, type HttpFaults } from '../http-fault.ts'
import { openMailbox, type Mailbox } from '../mailbox.ts'
import { messageRoutes, type Report } from '../message-routes.ts'
import type { Setup, Vendor } from '../vendor.ts'

const accounts = { dev_sms: `AC${'1'.repeat(32)}`, dev_sms2: `AC${'2'.repeat(32)}` } as const
const from = '+15550100'
type Vended = { readonly token: string; readonly mailbox: Mailbox; readonly faults: HttpFaults }

export const sms: Vendor = {
  name: 'sms',
  open: async setup => {
    const vended = {
      token: setup.kept.secret('token'),
      mailbox: openMailbox(setup.folder, setup.clock),
      faults: openHttpFaults(),
    }
    const http = createServer(listener(setup, vended))
    const port = await setup.listen('api', http)
    const place = (sid: string) =>
      `http://${sid}:${vended.token}@127.0.0.1:${port}?from=${encodeURIComponent(from)}`
    return {
      addresses: {
        dev_sms: place(accounts.dev_sms),
        dev_sms2: place(accounts.dev_sms2),
        token: vended.token,
        control: `http://127.0.0.1:${port}/_sandbox/`,
      },
      close: async () => {
        http.closeAllConnections()
        await new Promise(resolve => http.close(resolve))
        vended.mailbox.close()
      },
    }
  },
}

function listener({ folder }: Setup, vended: Vended) {
  const { mailbox, faults, token } = vended
  const plane = controlPlane({ vendor: 'sms', folder }, [
    ...messageRoutes(mailbox, reportSms(token)),
    ...faultRoutes('sms', faults),
    {
      method: 'POST',
      path: '/reset',
      run: () => {
        mailbox.reset()
        faults.clear()
        return { status: 204 }
      },
    },
  ])
  return (request: IncomingMessage, response: ServerResponse): void => {
    if (request.url?.startsWith('/_sandbox')) return void plane(request, response)
    void serve(vended, request, response).catch(() => response.destroy())
  }
}

async function serve(vended: Vended, request: IncomingMessage, response: ServerResponse) {
  const url = new URL(request.url ?? '/', 'http://localhost')
  const sid = /^\/2010-04-01\/Accounts\/(AC\w{32})\/Messages\.json$/.exec(url.pathname)?.[1] ?? ''
  const provider = Object.entries(accounts).find(([, account]) => account === sid)?.[0]
  const basic = Buffer.from(`${sid}:${vended.token}`).toString('base64')
  if (!provider || request.headers.authorization !== `Basic ${basic}`) {
    return json(response, 401, { code: 20003, message: 'Authenticate', status: 401 })
  }
  if (request.method === 'GET') return listMessages(vended, url, provider, response)
  const form = new URLSearchParams(await bodyOf(request))
  const to = form.get('To') ?? ''
  if (!/^\+\d{6,15}$/.test(to)) {
    return json(response, 400, { code: 21211, message: "Invalid 'To' number", status: 400 })
  }
  return receive(vended, { provider, to, form }, response)
}

type Submitted = { readonly provider: string; readonly to: string; readonly form: URLSearchParams }

function receive(
  { mailbox, faults }: Vended,
  { provider, to, form }: Submitted,
  response: ServerResponse,
) {
  const rule = faults.take({ provider, to })
  const report_to = form.get('StatusCallback') ?? ''
  const envelope = {
    provider,
    from: form.get('From') ?? '',
    to: [to],
    channel: 'sms' as const,
    report_to,
  }
  const text = form.get('Body') ?? ''
  const ref = URL.canParse(report_to) ? new URL(report_to).searchParams.get('ref') : null
  const note = (
    outcome: 'accepted' | 'refused' | 'discarded',
    status: number | null,
    id: string | null,
  ) => mailbox.record(envelope, { outcome, status, fault: rule?.mode ?? null, message_id: id })
  let id = ''
  return underFault(rule, response, {
    accept: () => {
      const parsed = { subject: null, text, html: null, headers: {}, attachments: [], ref }
      id = mailbox.accept(envelope, parsed, Buffer.from(form.toString())).id
      note('accepted', 201, id)
    },
    answer: () => json(response, 201, { sid: sidOf(id), status: 'queued', to, body: text }),
    refuse: mode => {
      note('refused', null, null)
      if (mode === 'reject_temp') return json(response, 503, { code: 20503, status: 503 })
      if (mode === 'rate_limit') {
        response.setHeader('retry-after', '1')
        return json(response, 429, { code: 20429, status: 429 })
      }
      json(response, 400, { code: mode === 'gone' ? 21610 : 21211, status: 400 })
    },
  })
}

function listMessages({ mailbox }: Vended, url: URL, provider: string, response: ServerResponse) {
  const to = url.searchParams.get('To') ?? ''
  const { data } = mailbox.messages({ to, provider }, undefined, 100)
  const messages = data.map(one => ({
    sid: sidOf(one.id),
    body: one.text ?? '',
    from: one.from,
    to: one.to,
    direction: 'outbound-api',
    date_created: new Date(one.received_at).toUTCString(),
  }))
  json(response, 200, { messages, next_page_uri: null })
}

/** `SM` and 32 hexadecimal digits. */
function sidOf(id: string): string {
  return `SM${id.replaceAll('-', '')}`
}

const statuses = {
  sent: 'sent',
  delivered: 'delivered',
  failed: 'failed',
  bounced: 'undelivered',
  complained: 'failed',
} as const

function reportSms(token: string): Report {
  return async (message, { type, deliver_to, signature = 'good' }) => {
    const url = new URL(message.report_to ?? deliver_to)
    const form = new URLSearchParams({
      MessageSid: sidOf(message.id),
      MessageStatus: statuses[type],
      To: message.to,
      ...(type === 'failed' || type === 'bounced' ? { ErrorCode: '30003' } : {}),
    })
    const sorted = [...form.entries()]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flat()
      .join('')
    const key = signature === 'bad' ? 'wrong' : token
    const signed = createHmac('sha1', key)
      .update(url.href + sorted)
      .digest('base64')
    const answer = await fetch(`${deliver_to}${url.pathname}${url.search}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-twilio-signature': signed,
      },
      body: form.toString(),
    })
    await answer.arrayBuffer()
    return answer.status
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}
