/** Routes of blocks and mutes. Blocked and muted people are not notified. */
import { Id, routesOf } from '#dodeca/kernel'
import { personOf, type Deps } from '../deps.ts'
import { Block, block, Mute, mute, SetMute, unblock, unmute } from './blocks.ts'
import { items, listPeople } from './list-people.ts'

const blocks = '/v1/users/me/blocks'
const mutes = '/v1/users/me/mutes'

const { open, list, put, del } = routesOf<Deps>({
  absent: 'user_not_found',
  read: 'social.content.read',
  write: 'social.graph.write',
  rate_tenant: false,
  added: true,
})

const ending = { params: { target_id: Id }, fails: ['permission_denied'] }
const fails = ['permission_denied', 'account_suspended', 'cannot_block_self', 'quota_exceeded']

const listOwn = (path: string, kind: 'blocks' | 'mutes', summary: string) =>
  list(
    path,
    summary,
    { item: items[kind], fails: ['permission_denied'] },
    async ({ tx, principal, list }) => {
      const person = personOf(principal)
      return await listPeople(tx, list, person, person.id, kind)
    },
  )

export const blockRoutes = open({
  blockUser: put(
    `${blocks}/{target_id}`,
    'Block a user',
    {
      description:
        'You no longer see the posts of this user, and this user no longer sees yours. Follows between you end in the same transaction.',
      reply: Block,
      fails,
    },
    async ({ tx, principal, params: { target_id } }, deps) =>
      await block(tx, deps, personOf(principal), target_id),
  ),

  unblockUser: del(
    `${blocks}/{target_id}`,
    'End a block; earlier follows are not restored',
    ending,
    async ({ tx, principal, params: { target_id } }) =>
      await unblock(tx, personOf(principal), target_id),
  ),

  listBlocks: listOwn(blocks, 'blocks', 'List the users that you block, newest first'),

  muteUser: put(
    `${mutes}/{target_id}`,
    'Keep the posts of a user out of your feed, for ever or until a time',
    { body: SetMute, body_optional: true, reply: Mute, fails },
    async ({ tx, principal, params: { target_id }, body }, deps) => {
      const until = (body as typeof body | undefined)?.expires_at ?? null
      return await mute(tx, deps, personOf(principal), target_id, until)
    },
  ),

  unmuteUser: del(
    `${mutes}/{target_id}`,
    'End a mute',
    ending,
    async ({ tx, principal, params: { target_id } }) =>
      await unmute(tx, personOf(principal), target_id),
  ),

  listMutes: listOwn(mutes, 'mutes', 'List the users that you mute, newest first'),
})
