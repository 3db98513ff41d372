/**
 * The composition root: lists the surfaces of the platform in the order in which they are opened,
 * and connects their faces to each other. There is no dependency injection container.
 */
import type { Composition } from './runtime/composition.ts'
import { gather, type AnySurface } from './runtime/gather.ts'
import { chat } from './surfaces/chat/surface.ts'
import { commerce } from './surfaces/commerce/surface.ts'
import { inference } from './surfaces/inference/surface.ts'
import { identity } from './surfaces/identity/surface.ts'
import { jobs } from './surfaces/jobs/surface.ts'
import { links } from './surfaces/links/surface.ts'
import { notifications } from './surfaces/notifications/surface.ts'
import { payments } from './surfaces/payments/surface.ts'
import { retrieval } from './surfaces/retrieval/surface.ts'
import { social } from './surfaces/social/surface.ts'
import { uploads } from './surfaces/uploads/surface.ts'
import { webhooks } from './surfaces/webhooks/surface.ts'

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
    work.face.offer(Object.values(opened).flatMap(one => one.jobTypes ?? []))
    const { access, prepare, demoTenants } = people.face
    return { opened, access, prepare, demoTenants }
  },
}
