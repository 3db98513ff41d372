/**
 * What the AppView of Bluesky (`@atproto/bsky` 0.0.280) asks its database for a timeline, in the words
 * of our tables: the join of posts with follows and the reader's own posts, which give the keys of a
 * page; then, by these keys, what `hydratePosts` reads. Absent here, so not asked: reposts, labels,
 * verifications, lists, and the three declarations of an account.
 */
import { tenant_id } from './ground.ts'

const columns = 'p.id, p.author_id, p.rank_or_time, p.visibility, p.created_at'
const newest = 'order by p.rank_or_time desc, p.id desc'

const followed = (reader: string, limit: number) => `select ${columns} from social.posts p
  join social.follows f on f.tenant_id = p.tenant_id and f.followed_id = p.author_id
  where p.tenant_id = '${tenant_id}' and f.follower_id = '${reader}' ${newest} limit ${limit}`
const own = (reader: string) => `select ${columns} from social.posts p
  where p.tenant_id = '${tenant_id}' and p.author_id = '${reader}' ${newest} limit 10`

/** Only the keys: what `getTimeline` of the data plane does. */
export function keysOf(reader: string, limit: number): string {
  return script([followed(reader, limit), own(reader)])
}

/** The whole page. What is read by the keys goes in one packet, as if it cost no way at all. */
export function pageOf(reader: string, limit: number): string {
  const mine = `tenant_id = '${tenant_id}'`
  const [posts, authors] = ['any(:posts::uuid[])', 'any(:authors::uuid[])']
  const related = (table: string, from: string, to: string, given: string) =>
    `(select true from social.${table} r where r.tenant_id = u.tenant_id
      and r.${from} = ${given === from ? `'${reader}'` : 'u.id'}
      and r.${to} = ${given === to ? `'${reader}'` : 'u.id'})`
  const by_key = [
    `select * from social.post_bodies where ${mine} and post_id = ${posts}`,
    `select id, moderation_state, visibility from social.posts where ${mine} and id = ${posts}`,
    `select * from social.counter_projections
      where ${mine} and subject_type = 'post' and subject_id = ${posts}`,
    `select * from social.likes where ${mine} and user_id = '${reader}' and post_id = ${posts}`,
    `select * from social.users where ${mine} and id = ${authors}`,
    `select handle, display_name, bio, avatar_file_id from social.users
      where ${mine} and id = ${authors}`,
    `select u.id, ${related('mutes', 'muter_id', 'muted_id', 'muter_id')},
      ${related('blocks', 'blocker_id', 'blocked_id', 'blocker_id')},
      ${related('blocks', 'blocker_id', 'blocked_id', 'blocked_id')},
      ${related('follows', 'follower_id', 'followed_id', 'follower_id')},
      ${related('follows', 'follower_id', 'followed_id', 'followed_id')}
      from social.users u where u.tenant_id = '${tenant_id}' and u.id = ${authors}`,
  ]
  const keys = `select array_agg(k.id) as posts, array_agg(distinct k.author_id) as authors
    from (${followed(reader, limit)}) k`
  const gathered = `${oneLine(keys)} \\gset\n`
  return `${script([own(reader)])}${gathered}\\startpipeline\n${script(by_key)}\\endpipeline\n`
}

const oneLine = (statement: string) => statement.replaceAll(/\s+/g, ' ')
const script = (statements: readonly string[]) =>
  statements.map(one => `${oneLine(one)};\n`).join('')
