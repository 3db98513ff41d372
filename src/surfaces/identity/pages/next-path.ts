/**
 * Checks the path to which a visitor is sent after a page. Only paths of the platform that redirect
 * to no other site are allowed. A short link is a path of the platform too, but it can redirect to
 * any site. So the first segment of the path must be known.
 */
const known = /^\/(account|console|docs|dev)(\/|\?|$)/
const base = 'http://platform.invalid'

export const home_path = '/account/'

export function nextPath(asked: string | undefined): string {
  if (!asked || !/^\/[\x21-\x5b\x5d-\x7e]*$/.test(asked) || !URL.canParse(asked, base)) {
    return home_path
  }
  const { origin, pathname, search } = new URL(asked, base)
  return origin === base && known.test(pathname) ? pathname + search : home_path
}
