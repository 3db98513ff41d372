/** The OpenAPI document as a resource; it is made once, when the last route is known. */
import { Type } from 'typebox'
import { reply, route, type Route } from '../../kernel/http/route.ts'

export function documentRoute(document: () => string): Route {
  return route({
    method: 'GET',
    path: '/openapi.json',
    name: 'getOpenApiDocument',
    summary: 'The OpenAPI 3.1 document of this platform',
    sends: ['etag'],
    permission: 'public',
    added: true,
    produces: ['application/json'],
    replies: { 200: Type.String() },
    headers: { 'cache-control': 'public, max-age=60', 'access-control-allow-origin': '*' },
    handle: () => reply(200, document(), { 'content-type': 'application/json; charset=utf-8' }),
  })
}
