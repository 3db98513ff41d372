/**
 * Sends identity's mails. The row is the queue: a sender claims it by moving its time ahead, so a crash
 * only delays it, and whoever finishes marks it. The message's id is the mail's, so the rare second copy
 * (a crash between the server's answer and the mark) can be recognized. A token whose use is over is
 * not sent.
 */
import type { Transporter } from 'nodemailer'
import { Type } from 'typebox'
import { sql } from '../../../kernel/database/sql.ts'
import { openOutsideWorld } from '../../../kernel/outgoing/sandbox-control.ts'
import { Id } from '../../../kernel/http/shapes.ts'
import type { Kernel } from '../settings.ts'
import { mailToSend } from './mail-to-send.ts'
import { renderMail } from './render.ts'

export type MailSender = {
  /** Sends what is due, until nothing is or the signal says stop. */
  run(signal: AbortSignal): Promise<void>
  /** Looks now, because something was asked for. */
  kick(): void
  close(): Promise<void>
}

const portion = 10
const attempts_max = 8
const Claimed = Type.Object({ id: Id, attempts: Type.Integer() })

export function openMailSender(kernel: Kernel): MailSender {
  const { settings, log, profile } = kernel
  const outside = openOutsideWorld(kernel.data_dir)
  let transport: { readonly url: string; readonly by: Transporter } | undefined
  let running: Promise<void> | undefined
  const stopping = new AbortController()

  const serverUrl = async () =>
    settings['identity.smtp_url'] ??
    (profile === 'development' ? ((await outside.addresses())?.['mail']?.['smtp'] ?? null) : null)

  const sendDue = async (signal: AbortSignal): Promise<void> => {
    const url = await serverUrl()
    if (url === null) return
    if (transport?.url !== url) {
      transport?.by.close()
      transport = { url, by: await openTransport(url) }
    }
    for (;;) {
      if (signal.aborted) return
      const claimed = await claim(kernel)
      for (const one of claimed) await sendOne(kernel, transport.by, one)
      if (claimed.length < portion) return
    }
  }
  const run = (signal: AbortSignal): Promise<void> =>
    (running ??= sendDue(signal).finally(() => {
      running = undefined
    }))
  return {
    run,
    kick: () => {
      void run(stopping.signal).catch((error: unknown) =>
        log.warn({ err: error }, 'mails could not be sent now; they wait'),
      )
    },
    close: async () => {
      stopping.abort()
      await running?.catch(() => {})
      transport?.by.close()
    },
  }
}

/** Loaded with the first mail: most processes never send one. */
async function openTransport(url: string): Promise<Transporter> {
  const { createTransport } = await import('nodemailer')
  return createTransport({
    url,
    pool: true,
    maxConnections: 2,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 30_000,
  })
}

function claim({ db }: Pick<Kernel, 'db'>) {
  return db.many(
    Claimed,
    sql`
      update identity.mails
      set attempts = attempts + 1, due_at = now() + make_interval(secs => 30 * 2 ^ attempts)
      where id in (select id from identity.mails
        where state = 'requested' and due_at <= now()
        order by due_at limit ${portion} for update skip locked)
      returning id, attempts`,
  )
}

async function sendOne(
  kernel: Kernel,
  by: Transporter,
  { id, attempts }: { id: string; attempts: number },
): Promise<void> {
  const { db, settings, log } = kernel
  const finish = (state: 'sent' | 'dropped' | 'failed') =>
    db.run(sql`update identity.mails set state = ${state} where id = ${id} and state = 'requested'`)
  const mail = await mailToSend(db, kernel, id)
  if (!mail) {
    await finish('dropped')
    return
  }
  const { category, subject, text } = renderMail(mail)
  try {
    await by.sendMail({
      from: settings['identity.mail_from'],
      to: mail.address,
      subject,
      text,
      messageId: `<${id}@${new URL(kernel.public_url).hostname}>`,
      headers: { 'Auto-Submitted': 'auto-generated', 'X-Category': category },
    })
    await finish('sent')
  } catch (error) {
    const { responseCode } = error as { responseCode?: number }
    const final = attempts >= attempts_max || (responseCode ?? 0) >= 500
    // The server's words may repeat the address, so only its code is kept.
    log.warn({ mail_id: id, attempts, code: responseCode ?? null }, 'a mail could not be sent')
    if (final) await finish('failed')
  }
}
