/** Routes that are said once: names, statuses, headers and the functions of a route. */
import { Type } from 'typebox'
import { expect, test } from 'vitest'
import type { Tx } from '../../database/db.ts'
import { problemsOf } from '../../errors/problem.ts'
import type { Page } from '../contract/cursor.ts'
import { reply } from '../contract/reply.ts'
import type { AnyContext, Route } from '../contract/route.ts'
import { routesOf } from '../routes-of.ts'
import { Id, oneOf, Version } from '../contract/shapes.ts'

type Deps = { readonly lease: number; readonly shelf: string }
const deps: Deps = { lease: 30, shelf: 'top' }
const Book = Type.Object({ id: Id, title: Type.String() }, { title: 'Book' })
const Printed = Type.Object({ id: Id, version: Version }, { title: 'Printed' })
const Order = Type.Object({ id: Id, status: oneOf('sent', 'waiting') }, { title: 'Order' })
const id = '019c8f3a-5b20-7d41-9e6b-2f1c40d7a961'
const book = { id, title: 'Letters' }
const problem = problemsOf({ book_gone: { status: 409, title: 'The book is gone' } })

const { open, get, list, create, post, put, patch, del } = routesOf<Deps>({
  absent: 'book_not_found',
  read: 'books.books.read',
  write: 'books.books.write',
  added: true,
})

function only(make: ReturnType<typeof get>): Route {
  const [made] = open({ theOperation: make })(deps)
  if (!made) throw new Error('no route')
  return made
}

function handled(made: Route, given: Partial<AnyContext> = {}) {
  return made.handle?.({ params: {}, ...given } as AnyContext)
}

test('takes the name from its key, and keeps the order of the folder', () => {
  const made = open({
    listBooks: list('/v1/books', 'List books', { item: Book }, async () => emptyPage()),
    createBook: create('/v1/books', 'Add a book', { reply: Book }, () => book),
    getBook: get('/v1/books/{id}', 'Get a book', { reply: Book }, () => book),
    putBook: put('/v1/books/{id}', 'Put a book', { reply: Book }, () => book),
    changeBook: patch('/v1/books/{id}', 'Change a book', { reply: Book }, () => book),
    deleteBook: del('/v1/books/{id}', 'Delete a book', {}, () => undefined),
    lendBook: post('/v1/books/{id}/lend', 'Lend a book', { reply: Book }, () => book),
  })(deps)
  expect(made.map(one => [one.name, one.method, Object.keys(one.replies)])).toEqual([
    ['listBooks', 'GET', ['200']],
    ['createBook', 'POST', ['201']],
    ['getBook', 'GET', ['200']],
    ['putBook', 'PUT', ['200']],
    ['changeBook', 'PATCH', ['200']],
    ['deleteBook', 'DELETE', ['204']],
    ['lendBook', 'POST', ['200']],
  ])
  expect(made.map(one => one.permission)).toEqual([
    'books.books.read',
    'books.books.write',
    'books.books.read',
    'books.books.write',
    'books.books.write',
    'books.books.write',
    'books.books.write',
  ])
})

test('uses the defaults of the folder where they have a meaning', () => {
  const whole = only(get('/v1/books', 'List', { reply: Book, permission: 'public' }, () => book))
  expect(whole.absent).toBeUndefined()
  expect(whole.permission).toBe('public')
  expect(whole.added).toBe(true)
  const one = only(get('/v1/books/{id}', 'Get', { reply: Book, added: false }, () => book))
  expect(one.absent).toBe('book_not_found')
  expect(one.added).toBe(false)
})

test('stops where no permission is said', () => {
  const bare = routesOf<Deps>({ read: 'books.books.read' })
  const routes = bare.open({ dropBook: bare.del('/v1/books/{id}', 'Drop', {}, () => undefined) })
  expect(() => routes(deps)).toThrow('dropBook needs a permission')
})

test('makes ETag and Location from the view', async () => {
  const made = only(
    create('/v1/books', 'Print', { reply: Printed }, async () => ({ id, version: 3 })),
  )
  expect(made.sends).toEqual(['etag', 'location'])
  expect(await handled(made)).toMatchObject({
    status: 201,
    body: { id, version: 3 },
    headers: { etag: '"3"', location: `/v1/books/${id}` },
  })
})

test('leaves a version out of a body that does not declare it', async () => {
  const made = only(
    patch('/v1/books/{id}', 'Change', { sends: ['etag'], reply: Book }, () => ({
      ...book,
      version: 7,
    })),
  )
  expect(await handled(made)).toMatchObject({ status: 200, body: book, headers: { etag: '"7"' } })
  expect((await handled(made))?.body).not.toHaveProperty('version')
})

test('keeps a version that the schema may have', async () => {
  const Open = Type.Object({ id: Id }, { additionalProperties: true })
  for (const one of [Open, Type.Record(Type.String(), Type.Unknown()), Type.Unknown()]) {
    const made = only(get('/v1/books/raw', 'Raw', { reply: one }, () => ({ id, version: 4 })))
    expect((await handled(made))?.body).toEqual({ id, version: 4 })
  }
})

test('sends no ETag and no Location that the document does not announce', async () => {
  const spec = { sends: [] as const, reply: Printed }
  const made = only(create('/v1/books', 'Print', spec, () => ({ id, version: 3 })))
  expect(made.sends).toEqual([])
  expect((await handled(made))?.headers).toEqual({})
})

test('returns nothing as 204', async () => {
  const made = only(post('/v1/books/sort', 'Sort', {}, async () => undefined))
  expect(made.replies).toEqual({ 204: null })
  expect(await handled(made)).toMatchObject({ status: 204, body: null })
})

test('sends a reply as it is, with the headers that are missing', async () => {
  const made = only(
    put(
      '/v1/shelves/{shelf}/books/{id}',
      'Put',
      { replies: { 200: Printed, 201: Printed }, location: '/v1/shelves/{shelf}/books/{id}' },
      ({ body }) => reply(body ? 200 : 201, { id, version: 2 }, { 'cache-control': 'no-store' }),
    ),
  )
  expect(made.sends).toEqual(['etag', 'location'])
  expect(await handled(made, { params: { shelf: 'a b', id } })).toMatchObject({
    status: 201,
    headers: {
      etag: '"2"',
      location: `/v1/shelves/a%20b/books/${id}`,
      'cache-control': 'no-store',
    },
  })
  const changed = await handled(made, { body: {}, params: { shelf: 'a', id } })
  expect(changed?.headers).not.toHaveProperty('location')
})

test('keeps a header that the handler has set', async () => {
  const made = only(
    create('/v1/books', 'Print', { reply: Printed }, () =>
      reply(201, { id, version: 1 }, { etag: '"1-abcdefgh"', location: '/v1/prints/1' }),
    ),
  )
  const { headers } = (await handled(made)) ?? {}
  expect(headers).toEqual({ etag: '"1-abcdefgh"', location: '/v1/prints/1' })
})

test('takes a view with the members of a reply for a view', async () => {
  const Answer = Type.Object({ status: Type.Integer(), body: Type.String(), headers: Book })
  const view = { status: 500, body: 'x', headers: book }
  const made = only(get('/v1/books/answer', 'Answer', { reply: Answer }, () => view))
  expect(await handled(made)).toMatchObject({ status: 200, body: view })
})

test('refuses a view where several replies are declared', () => {
  const made = only(
    post('/v1/books', 'Order', { replies: { 200: Order, 202: Order } }, () => book as never),
  )
  expect(() => handled(made)).toThrow('several replies')
})

test('gives handlers what the surface shares, and reads a setting into the route', async () => {
  const made = only(
    post(
      '/v1/books',
      'Read',
      ({ lease }: Deps) => ({ body_limit_bytes: lease, reply: Book }),
      (_, { shelf }) => ({ ...book, title: shelf }),
    ),
  )
  expect(made.body_limit_bytes).toBe(30)
  expect((await handled(made))?.body).toEqual({ id, title: 'top' })
})

test('runs an operation outside, whose replies are completed too', async () => {
  const made = only(
    create(
      '/v1/orders',
      'Order a book',
      ({ lease }: Deps) => ({
        idempotency: 'required',
        lease_seconds: lease,
        body: Book,
        replies: { 201: Order, 202: Order },
      }),
      {
        prepare: async ({ body }, { shelf }) => `${shelf}: ${body.title}`,
        operation: {
          begin: async ({ prepared }) =>
            prepared === 'top: Letters' ? undefined : reply(202, { id, status: 'waiting' }),
          call: async (operation_id, attempt, _signal, { prepared }, { shelf }) =>
            `${operation_id} ${attempt} ${prepared} ${shelf}`,
          finish: async (_tx, _id, outcome, { shelf }) =>
            outcome.endsWith(shelf) ? reply(201, { id, status: 'sent' }) : problem('book_gone'),
        },
      },
    ),
  )
  expect(made).toMatchObject({ transaction: 'own', lease_seconds: 30, sends: ['location'] })
  const { operation, prepare } = made
  const context = { params: {}, body: book } as unknown as AnyContext
  const prepared = await prepare?.(context)
  const begun = { ...context, prepared, tx: {} as Tx, operation_id: 'o' }
  expect(await operation?.begin(begun)).toBeUndefined()
  expect(await operation?.begin({ ...begun, prepared: 'other' })).toMatchObject({
    status: 202,
    headers: { location: `/v1/orders/${id}` },
  })
  const { signal } = new AbortController()
  const outcome = await operation?.call('o', 'first', signal, { ...context, prepared })
  expect(outcome).toBe('o first top: Letters top')
  expect(await operation?.finish({} as Tx, 'o', outcome)).toMatchObject({
    status: 201,
    headers: { location: `/v1/orders/${id}` },
  })
  expect(await operation?.finish({} as Tx, 'o', 'elsewhere')).toMatchObject({
    code: 'book_gone',
  })
})

test('renders a stored outcome again with the same headers', async () => {
  const made = only(
    create(
      '/v1/books',
      'Print',
      { record: 'reference', reply: Printed },
      {
        handle: () => ({ id, version: 1 }),
        again: async ({ resource_ref }) => ({ id: resource_ref.slice(-36), version: 1 }),
      },
    ),
  )
  const context = { params: {}, resource_ref: `/v1/books/${id}`, status: 201, tx: {} as Tx }
  expect(await made.again?.(context as unknown as Parameters<typeof made.again>[0])).toMatchObject({
    status: 201,
    headers: { etag: '"1"', location: `/v1/books/${id}` },
  })
})

test('lists a page with its Link', async () => {
  const made = only(
    list(
      '/v1/books',
      'List books',
      { item: Book, filters: { title: Type.String() } },
      async () => ({
        body: { data: [book], next_cursor: 'c', has_more: true },
        headers: { link: '</v1/books?cursor=c>; rel="next"' },
      }),
    ),
  )
  expect(Object.keys(made.query?.properties ?? {})).toEqual(['title', 'cursor', 'limit'])
  expect(made.replies[200]).toMatchObject({ title: 'BookPage' })
  expect(await handled(made)).toMatchObject({
    status: 200,
    body: { data: [book] },
    headers: { link: '</v1/books?cursor=c>; rel="next"' },
  })
})

function emptyPage(): Page<{ id: string; title: string }> {
  return { body: { data: [], next_cursor: null, has_more: false }, headers: {} }
}
