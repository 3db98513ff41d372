/**
 * Reads the headers that a redirect needs from the raw list, in one pass. Building the usual object
 * of all headers would cost more than the rest of a redirect.
 */

/** All requests share one object. Its values are used before the next request is read. */
export type Seen = {
  host: string
  hosts: number
  agent: string
  referrer: string
  language: string
  accept: string
  country: string
  forwarded_for: string
  forwarded_host: string
  private: boolean
  prefetch: boolean
}

export function newSeen(): Seen {
  return {
    host: '',
    hosts: 0,
    agent: '',
    referrer: '',
    language: '',
    accept: '',
    country: '',
    forwarded_for: '',
    forwarded_host: '',
    private: false,
    prefetch: false,
  }
}

/** The value of the country header in lower case, or an empty text. */
export function readHeaders(raw: readonly string[], country_header: string, seen: Seen): void {
  clear(seen)
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at] as string // names and values in turn
    const value = raw[at + 1] as string
    switch (name.length) {
      case 3:
        if (isNamed(name, 'dnt')) seen.private ||= value === '1'
        break
      case 4:
        if (!isNamed(name, 'host')) break
        if (seen.hosts++ === 0) seen.host = value
        break
      case 6:
        if (isNamed(name, 'accept')) seen.accept = value
        break
      case 7:
        if (isNamed(name, 'referer')) seen.referrer = value
        else if (isNamed(name, 'sec-gpc')) seen.private ||= value === '1'
        else if (isNamed(name, 'purpose')) seen.prefetch ||= value === 'prefetch'
        break
      case 10:
        if (isNamed(name, 'user-agent')) seen.agent = value
        break
      case 11:
        if (isNamed(name, 'sec-purpose')) seen.prefetch ||= value.startsWith('prefetch')
        break
      case 15:
        if (isNamed(name, 'accept-language')) seen.language = value
        else if (isNamed(name, 'x-forwarded-for'))
          seen.forwarded_for = joined(seen.forwarded_for, value)
        break
      case 16:
        if (isNamed(name, 'x-forwarded-host')) seen.forwarded_host = value
        break
    }
    const may_be_country = country_header !== '' && name.length === country_header.length
    if (may_be_country && isNamed(name, country_header)) seen.country = value
  }
}

function clear(seen: Seen): void {
  seen.host = ''
  seen.hosts = 0
  seen.agent = ''
  seen.referrer = ''
  seen.language = ''
  seen.accept = ''
  seen.country = ''
  seen.forwarded_for = ''
  seen.forwarded_host = ''
  seen.private = false
  seen.prefetch = false
}

function isNamed(name: string, wanted: string): boolean {
  return name === wanted || name.toLowerCase() === wanted
}

function joined(before: string, value: string): string {
  return before === '' ? value : `${before}, ${value}`
}
