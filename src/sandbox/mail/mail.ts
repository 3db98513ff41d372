/**
 * The mail vendor. It has two providers, so that you can try failover. They share one mailbox and
 * one fault script, and a control plane that shows what arrived. If a sender does not know the
 * outcome of an attempt, it can query the message here by ref.
 */
import { createServer } from 'node:http'
import { clockControl, setClock } from '../clock-control.ts'
import { controlPlane, fits, type ControlRoute } from '../control.ts'
import type { Setup, Vendor } from '../vendor.ts'
import { faultView, MailFault, openMailFaults, type MailFaults } from './fault.ts'
import { openMailbox, type Mailbox } from '../mailbox.ts'
import { messageRoutes } from '../message-routes.ts'
import { reportMail, webhookSecret } from './report-mail.ts'
import { openSmtp, type Smtp } from './smtp.ts'

const providers = { smtp: 'dev_mail', smtp2: 'dev_mail2' } as const

export const mail: Vendor = {
  name: 'mail',
  open: async setup => {
    const mailbox = openMailbox(setup.folder, setup.clock)
    const faults = openMailFaults()
    const addresses: Record<string, string> = {}
    const servers: Smtp[] = []
    for (const [key, provider] of Object.entries(providers)) {
      const password = setup.kept.secret(provider)
      const smtp = openSmtp({ provider, password, mailbox, faults })
      const port = await setup.listen(provider, smtp.server)
      addresses[key] = `smtp://${provider}:${password}@127.0.0.1:${port}`
      servers.push(smtp)
    }
    const about = { vendor: 'mail', folder: setup.folder, providers: Object.values(providers) }
    const plane = controlPlane(about, controlRoutes(setup, mailbox, faults))
    const http = createServer((request, response) => void plane(request, response))
    const port = await setup.listen('control', http)
    return {
      addresses: {
        ...addresses,
        webhook_secret: webhookSecret(setup.kept),
        control: `http://127.0.0.1:${port}/_sandbox/`,
      },
      close: async () => {
        http.closeAllConnections()
        await new Promise(resolve => http.close(resolve))
        for (const smtp of servers) await smtp.close()
        mailbox.close()
      },
    }
  },
}

function controlRoutes(setup: Setup, mailbox: Mailbox, faults: MailFaults): ControlRoute[] {
  return [
    ...messageRoutes(mailbox, reportMail(setup.kept, setup.clock)),
    ...faultRoutes(faults),
    ...clockControl(setup.clock, setup.kept),
    {
      method: 'POST',
      path: '/reset',
      run: () => {
        mailbox.reset()
        faults.clear()
        setClock(setup.clock, setup.kept, 0)
        return { status: 204 }
      },
    },
  ]
}

function faultRoutes(faults: MailFaults): ControlRoute[] {
  return [
    {
      method: 'GET',
      path: '/faults',
      run: () => {
        const data = faults.list().map(faultView)
        return { status: 200, body: { data, next_cursor: null, has_more: false } }
      },
    },
    {
      method: 'POST',
      path: '/faults',
      run: ({ body }) => {
        const rule = fits(MailFault, body)
        return { status: 201, body: faultView(faults.add(rule, rule.times ?? 1)) }
      },
    },
    {
      method: 'DELETE',
      path: '/faults',
      run: () => {
        faults.clear()
        return { status: 204 }
      },
    },
  ]
}
