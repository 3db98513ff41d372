/**
 * The first table of docs/benchmarks.md: for each surface what was measured, beside its best peer
 * and beside its limit. The figures are those of the sections, where each has its table, machine and
 * day; this table only repeats them.
 */
type Figure = readonly [shown: string, says: string]
/** The peer is what people would take instead. The limit is what the work costs at least. */
type Line = readonly [
  surface: string,
  measured: string,
  section: string,
  peer: Figure | null,
  limit: Figure | null,
]

// prettier-ignore
const lines: readonly Line[] = [
  ['Requests', 'one row by its id',
    'GET by id (one SELECT), 16 connections',
    ['Fastify + pg', 'dodeca / fastify + pg'], ['its statement in pgbench', 'dodeca / pgbench']],
  ['Requests', 'a write under a key, with event and recorded outcome',
    'Keyed POST, 32 connections',
    null, ['its statements in pgbench', 'dodeca / pgbench']],
  ['Identity', 'log-ins',
    'Login, 16 at once',
    null, ['argon2id alone', 'dodeca / argon2id alone']],
  ['Identity', 'refresh of a session',
    'Refresh, 16 sessions',
    null, ['its statements in pgbench', 'dodeca / pgbench']],
  ['Commerce', 'a page of products with prices and stock',
    'Twenty products of a category with prices and stock, 32 connections, 10,000 products',
    null, ['its statement in pgbench', 'product list / its statement (pgbench)']],
  ['Commerce', 'the commit that places an order',
    'The first commit of a checkout, 8 clients',
    null, ['its statements in pgbench', 'placed, 10,000 SKUs / pgbench, 10,000 SKUs']],
  ['Social', 'the statement of a feed, 500 followed',
    'A page of 20 of a feed by how many the reader follows, 4 connections, 200,000 posts',
    ["Bluesky's statements", "statement, 500 / Bluesky's page, 500"], null],
  ['Social', 'the page of that feed over HTTP',
    'A page of 20 of a feed by how many the reader follows, 4 connections, 200,000 posts',
    null, ['its statement in pgbench', 'feed, 500 / statement, 500']],
  ['Social', 'posts written into the feeds of followers',
    'Entries a second: 40 posts to 5000 followers each, 4 at once, 1000 in a commit',
    null, ['an INSERT of as many rows', 'fan-out / insert from a series (pgbench)']],
  ['Uploads', 'parts of 64 MiB',
    'Parts of 64 MiB, one after another',
    ['@tus/server', 'dodeca / @tus/server (no hash, no sync)'],
    ['node:http with the same steps', 'dodeca / node:http, hash + sync + rename']],
  ['Uploads', 'downloads of 64 MiB',
    'Downloads of 64 MiB',
    null, ['node:http', 'dodeca / node:http, a file stream']],
  ['Notifications', 'accepted messages',
    'Notifications',
    ['Fastify + pg', 'accept / bare Fastify + pg'], null],
  ['Notifications', 'mails handed over',
    'Notifications',
    null, ['nodemailer alone', 'mails / nodemailer alone']],
  ['Chat', 'stored messages in pairs, delivered',
    'Deliveries in 45 pairs, 20 messages of each of ten people under way',
    ['socket.io + INSERT', 'dodeca / socket.io, stored'], null],
  ['Chat', 'durable sends, 64 at a time',
    'Durable sends to 100 rooms of two people',
    null, ['their appends in pgbench', 'dodeca, over sockets / append in pgbench, 64 at a time']],
  ['Inference', 'blocking calls, 64 at a time',
    'Blocking calls of 20 tokens',
    null, ['a pass-through that counts nothing', 'Dodeca / a bare pass-through']],
  ['Inference', 'tokens of streams',
    'Tokens of 4 streams at a time, 10,000 tokens each',
    null, ['a bare pass-through', 'Dodeca / a bare pass-through']],
  ['Retrieval', 'passages taken in with a model',
    'Ingestion, chunks a second',
    null, ['the model alone', 'use-512@1 beside a bare loop over its model']],
  ['Payments', 'postings of two entries',
    'Postings of two entries, 16 clients',
    null, ['the statements in pgbench', 'ledger, spread / pgbench, spread']],
  ['Payments', 'received events of a provider',
    'Webhooks of two kilobytes, 64 connections',
    null, ['one row and COMMIT', 'webhook receipt / one row and commit (pgbench)']],
  ['Links', 'redirects of one hot link, clicks recorded',
    'One hot link, clicks recorded, 64 connections',
    null, ['node:http', 'dodeca / node:http']],
  ['Links', 'new links',
    'Making a link, 32 connections of 32 owners',
    null, ['the statements in pgbench', 'dodeca / pgbench']],
  ['Jobs', 'jobs that do nothing',
    'Jobs that do nothing, history kept',
    ['pg-boss', 'dodeca / pg-boss'], ['the statements in pgbench', 'dodeca / pgbench']],
  ['Jobs', 'the same, beside BullMQ on PostgreSQL',
    'Jobs that do nothing, history kept',
    ['BullMQ', 'dodeca / BullMQ on PostgreSQL'], null],
  ['Webhooks', 'deliveries beside a queue with one POST each',
    'Beside queues with one POST and one row for each job',
    ['graphile-worker', 'webhooks / graphile-worker'], null],
  ['Webhooks', 'deliveries to a hundred endpoints',
    'A hundred events for a hundred endpoints',
    null, ['undici alone', 'webhooks / undici']],
  ['Webhooks', 'received messages, new ones',
    'A message of a kilobyte in the scheme of Stripe',
    ['Fastify that stores nothing', 'webhooks, new / fastify'], null],
]

/** The table for a page with these sections. Throws if one of its figures is no longer there. */
export function overviewOf(page: string): string {
  const sections = new Map(
    page.split(/^### /m).map(one => [one.split('\n', 1)[0] ?? '', one] as const),
  )
  const shown = (section: string, figure: Figure | null) => {
    if (!figure) return '–'
    const [name, says] = figure
    const begins = `- ${says}: `
    const line = (sections.get(section) ?? '').split('\n').find(one => one.startsWith(begins))
    if (!line) throw new Error(`docs/benchmarks.md has no figure "${says}" in "${section}"`)
    return `**${line.slice(begins.length).split(' ', 1)[0]}** of ${name}`
  }
  return [
    '| Surface | What was measured | Ours, of the best peer | Ours, of the limit |',
    '| --- | --- | --- | --- |',
    ...lines.map(([surface, measured, section, peer, limit]) => {
      const cells = [surface, measured, shown(section, peer), shown(section, limit)]
      return `| ${cells.join(' | ')} |`
    }),
  ].join('\n')
}
