/**
 * Classifies a user agent: device, system, browser, bot or not. Parsing takes about 30 µs, so
 * results are cached. Beyond a limit, new user agents are not parsed but classified as unknown.
 * Only names from a fixed list are stored, because an unknown program could send any text as its
 * name.
 */
import bowser from 'bowser'
import { isbot } from 'isbot'
import { boundedCache } from '#dodeca/kernel'

export type Agent = {
  readonly device: string
  readonly os: string
  readonly browser: string
  readonly bot: boolean
}

export type Agents = {
  classOf(agent: string): Agent
  /** Sets how many more user agents may be parsed. */
  allow(parses: number): void
}

/**
 * The names that may be stored. For an unknown program, Bowser returns the start of its user agent,
 * and that text may be a person's name or address.
 */
const browsers = new Set<string>([...Object.values(bowser.BROWSER_MAP), 'Opera Touch', 'Miui'])

const agent_length_max = 512
const unknown: Agent = { device: '', os: '', browser: '', bot: false }
/** Every browser's user agent contains this. */
const silent: Agent = { ...unknown, bot: true }

export function openAgents(remembered = 10_000): Agents {
  const classes = boundedCache<Agent>(remembered)
  let left = 0
  return {
    allow: parses => {
      left = parses
    },
    classOf: given => {
      if (given === '') return silent
      const agent = given.length > agent_length_max ? given.slice(0, agent_length_max) : given
      const known = classes.get(agent)
      if (known) return known
      if (left-- <= 0) return unknown
      const parsed = parse(agent)
      classes.set(agent, parsed)
      return parsed
    },
  }
}

function parse(agent: string): Agent {
  const { platform, os, browser } = bowser.parse(agent)
  return {
    device: platform.type ?? '',
    os: os.name ?? '',
    browser: browser.name && browsers.has(browser.name) ? browser.name : '',
    bot: platform.type === 'bot' || isbot(agent),
  }
}
