/**
 * The product with its sandbox, and what tests of notifications do again and again: publish a template, send,
 * wait for a state, look into the mailbox.
 */
import { openProductWorld, type Member, type ProductWorld } from '../../../../test/product-world.ts'
import { eventually, newKey, type Answer } from '../../../../test/world.ts'
import { newId } from '#dodeca/kernel'

export type NotifyWorld = ProductWorld & {
  /** A member who may do everything with notifications in a new tenant. */
  sender(): Promise<Member>
  /** One sender for tests that need no tenant of their own. */
  shared(): Promise<Member>
  /** A published template with a text for each channel; answers its name. */
  template(who: Member, texts?: object): Promise<string>
  send(who: Member, body: object, key?: string): Promise<Answer>
  read(who: Member, id: string): Promise<Answer['body']>
  /** Waits until the notification is in this state. */
  reaches(who: Member, id: string, state: string): Promise<Answer['body']>
  /** Messages that the sandbox received for an address, newest first. */
  messages(to: string): Promise<Answer['body'][]>
  fault(rule: object): Promise<void>
}

export const usual_texts = {
  email: {
    subject: 'Hello {{ name }}',
    body: '<h1>Hello {{ name }}</h1><p>Your order {{ order }} is here.</p>',
  },
  sms: { body: 'Order {{ order }} is here, {{ name }}' },
  push: { title: 'Order {{ order }}', body: 'It is here, {{ name }}', url: '/orders/{{ order }}' },
  in_app: {
    title: 'Order {{ order }}',
    body: 'It is here, {{ name }}',
    url: '/orders/{{ order }}',
  },
}

export const usual_data = { name: 'Ada', order: 'A-17' }

export function newAddress(): string {
  return `n-${newId()}@example.test`
}

export async function openNotifyWorld(settings?: Record<string, string>): Promise<NotifyWorld> {
  const world = await openProductWorld(settings)
  const ask = async (who: Member, method: string, path: string, body?: object) => {
    const answer = await world.call(method, path, {
      token: who.token,
      key: newKey(),
      ...(body === undefined ? {} : { body }),
    })
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`)
    return answer.body
  }
  const read: NotifyWorld['read'] = (who, id) => ask(who, 'GET', `/v1/notifications/${id}`)
  const sender = async () => {
    const member = await world.member()
    await world.give(member, 'tenant_admin')
    return member
  }
  const publish = async (who: Member, texts: object) => {
    const name = `t-${newId()}`
    const path = '/v1/notification-templates'
    await ask(who, 'POST', path, { name, default_locale: 'en', channels: texts })
    await ask(who, 'POST', `${path}/${name}/versions/1/publish`)
    return name
  }
  // Each tenant needs the usual template once.
  const usual = new Map<string, Promise<string>>()
  let one: Promise<Member> | undefined
  return {
    ...world,
    sender,
    shared: () => (one ??= sender()),
    template: (who, texts) => {
      if (texts) return publish(who, texts)
      const name = usual.get(who.tenant.id) ?? publish(who, usual_texts)
      usual.set(who.tenant.id, name)
      return name
    },
    send: (who, body, key = newKey()) =>
      world.call('POST', '/v1/notifications', { token: who.token, key, body }),
    read,
    reaches: (who, id, state) =>
      eventually(`notification ${id} is ${state}`, async () => {
        const found = await read(who, id)
        return found.state === state && found
      }),
    messages: async to => {
      const query = new URLSearchParams({ to, limit: '100' })
      return (await world.call('GET', `/dev/inbox/messages?${query}`)).body.data
    },
    fault: async rule => {
      const { status, text } = await world.call('POST', '/dev/inbox/faults', { body: rule })
      if (status !== 201) throw new Error(text)
    },
  }
}
