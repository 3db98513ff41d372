/**
 * The composition root: lists the surfaces of the platform in the order in which they are opened,
 * and connects their faces to each other. There is no dependency injection container.
 */
import { flushCompileCache } from 'node:module'
import { StartError } from '#dodeca/kernel'
import type { Composition } from './runtime/composition.ts'
import { gather, type AnySurface } from './runtime/gather.ts'

// The surfaces are loaded one after another. Node keeps the compiled code that it read from its
// cache until a flush. Together they took 26 MB of it, and the process kept that memory for good.
flushCompileCache()
const { identity } = await part(import('./surfaces/identity/surface.ts'))
const { jobs } = await part(import('./surfaces/jobs/surface.ts'))
const { uploads } = await part(import('./surfaces/uploads/surface.ts'))
const { notifications } = await part(import('./surfaces/notifications/surface.ts'))
const { payments } = await part(import('./surfaces/payments/surface.ts'))
const { commerce } = await part(import('./surfaces/commerce/surface.ts'))
const { links } = await part(import('./surfaces/links/surface.ts'))
const { social } = await part(import('./surfaces/social/surface.ts'))
const { chat } = await part(import('./surfaces/chat/surface.ts'))
const { inference } = await part(import('./surfaces/inference/surface.ts'))
const { retrieval } = await part(import('./surfaces/retrieval/surface.ts'))
const { webhooks } = await part(import('./surfaces/webhooks/surface.ts'))

const surfaces: readonly AnySurface[] = [
  identity,
  jobs,
  uploads,
  notifications,
  payments,
  commerce,
  links,
  social,
  chat,
  inference,
  retrieval,
  webhooks,
]

export const composition: Composition = {
  surfaces,
  open: kernelFor => {
    const { permissions, declared } = gather(surfaces)
    const people = identity.open(kernelFor(identity), { permissions })
    const work = jobs.open(kernelFor(jobs), { rights: people.face })
    const files = uploads.open(kernelFor(uploads), {
      jobs: work.face,
      rights: people.face,
    })
    work.face.plugFiles({ isAvailable: files.face.isAvailable, url: files.face.inputUrl })
    const messages = notifications.open(kernelFor(notifications), {
      people: people.face,
      jobs: work.face,
    })
    const money = payments.open(kernelFor(payments), {})
    const shop = commerce.open(kernelFor(commerce), {
      payments: money.face,
      files: files.face,
      messages: messages.face,
      people: people.face,
    })
    const shortener = links.open(kernelFor(links), {
      jobs: work.face,
      owners: messages.face,
      people: people.face,
    })
    const common = {
      people: people.face,
      jobs: work.face,
      files: files.face,
      messages: messages.face,
    }
    const network = social.open(kernelFor(social), common)
    const talk = chat.open(kernelFor(chat), { ...common, blocks: network.face })
    const models = inference.open(kernelFor(inference), {
      jobs: work.face,
      people: people.face,
    })
    const knowledge = retrieval.open(kernelFor(retrieval), { ...common, models: models.face })
    const inbound = [people, work, files, shortener].flatMap(one => one.inbound ?? [])
    const hooks = webhooks.open(kernelFor(webhooks), {
      events: declared,
      inbound,
      jobs: work.face,
      rights: people.face,
      owners: messages.face,
    })
    const opened = {
      identity: people,
      jobs: work,
      uploads: files,
      notifications: messages,
      payments: money,
      commerce: shop,
      links: shortener,
      social: network,
      chat: talk,
      inference: models,
      retrieval: knowledge,
      webhooks: hooks,
    }
    requireOpened(opened)
    work.face.offer(Object.values(opened).flatMap(one => one.jobTypes ?? []))
    const { access, prepare, demoTenants } = people.face
    return { opened, access, prepare, demoTenants }
  },
}

/** A surface that is listed and not opened would have tables, but no routes. */
function requireOpened(opened: object): void {
  const missing = surfaces.filter(({ name }) => !(name in opened)).map(({ name }) => name)
  if (missing.length === 0) return
  throw new StartError(
    `Not opened: ${missing.join(', ')}. In src/platform.ts, open each listed surface and add it to \`opened\`.`,
  )
}

async function part<Surface>(loading: Promise<Surface>): Promise<Surface> {
  const loaded = await loading
  flushCompileCache()
  return loaded
}
