/** What the generator would write for the test surfaces' operations that these tests call. */

type Json<T> = { headers: Record<string, unknown>; content: { 'application/json': T } }
type None = { query?: never; header?: never; path?: never; cookie?: never }
type Note = { id: string; title: string }
type Account = { id: string; balance_minor: number }
type Transfer = { id: string; amount_minor: number }
type NotePage = { data: Note[]; next_cursor: string | null; has_more: boolean }

export type TestPaths = {
  '/v1/notes': {
    get: {
      parameters: Omit<None, 'query'> & {
        query?: { kind?: string; cursor?: string; limit?: number }
      }
      requestBody?: never
      responses: { 200: Json<NotePage> }
    }
    post: {
      parameters: None
      requestBody: { content: { 'application/json': { title: string; kind?: string } } }
      responses: { 201: Json<Note> }
    }
  }
  '/v1/notes/{note_id}': {
    get: {
      parameters: Omit<None, 'path'> & { path: { note_id: string } }
      requestBody?: never
      responses: { 200: Json<Note> }
    }
  }
  '/v1/book/accounts': {
    post: {
      parameters: None
      requestBody: { content: { 'application/json': { name: string; balance_minor: number } } }
      responses: { 201: Json<Account> }
    }
  }
  '/v1/book/accounts/{account_id}': {
    get: {
      parameters: Omit<None, 'path'> & { path: { account_id: string } }
      requestBody?: never
      responses: { 200: Json<Account> }
    }
  }
  '/v1/book/transfers': {
    post: {
      parameters: None
      requestBody: {
        content: { 'application/json': { from_id: string; to_id: string; amount_minor: number } }
      }
      responses: { 201: Json<Transfer> }
    }
  }
}
