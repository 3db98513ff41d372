/**
 * The page that leads a browser from the form of a provider to the callback. It asks for the address
 * itself, so that the browser sends its cookie. A redirect could still be part of the request of the
 * other site.
 */
import { htmlPage, markup, pageHeaders } from '#dodeca/kernel'

const style =
  'body { margin: 4rem auto; max-width: 30rem; font: 1.05rem/1.55 system-ui, sans-serif }'

export function onward(path: string) {
  const html = htmlPage({
    title: 'Log in',
    head: markup`<meta http-equiv="refresh" content="0;url=${path}">
<meta name="referrer" content="no-referrer">`,
    style,
    body: markup`<main><p><a href="${path}">Continue · Weiter</a></p></main>`,
  })
  return { html, headers: { ...pageHeaders(style), 'cache-control': 'no-store' } }
}
