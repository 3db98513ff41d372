/** The hint in the reply to an unknown path: the path of a route that was probably meant. */
import { suggestion } from '../errors/did-you-mean.ts'
import type { Route } from './route.ts'

export function openNearPaths(routes: readonly Route[]): (path: string) => string {
  const paths = [...new Set(routes.filter(({ hidden }) => !hidden).map(({ path }) => path))]
  return path => {
    const given = path.split('/')
    // Any text matches a parameter exactly.
    const alike = paths
      .filter(pattern => Math.abs(pattern.split('/').length - given.length) <= 1)
      .map(pattern => ({ pattern, filled: filled(pattern, given) }))
    const words = alike.map(({ filled: word }) => word)
    const text = suggestion(path.slice(0, 200), words)
    const meant = alike.find(({ filled: word }) => text === ` Did you mean ${word}?`)?.pattern
    return meant === undefined ? '' : ` Did you mean ${meant}?`
  }
}

function filled(pattern: string, given: readonly string[]): string {
  return pattern
    .split('/')
    .map((part, at) => (part.startsWith('{') ? (given[at] ?? part) : part))
    .join('/')
}
