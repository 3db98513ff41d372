/** Puts together what the use cases share; nothing is asked or started by it. */
import type { Kernel } from './settings.ts'
import type { Deps, Jobs } from './deps.ts'
import { openBlockedPatterns } from './destinations/blocked-patterns.ts'
import { openLookAlikes } from './destinations/look-alikes.ts'
import { openWebRisk } from './destinations/web-risk.ts'
import { openPlatformDomain } from './domains/platform.ts'
import { openTxtLookup } from './domains/txt-lookup.ts'
import { openChanges } from './cache/publish-change.ts'
import { openNode } from './cache/node.ts'
import { newCode } from './shortening/codes.ts'
import { openReservedWords } from './shortening/reserved-words.ts'

export function openDeps(kernel: Kernel, jobs: Jobs): Deps {
  const { settings } = kernel
  const platform = openPlatformDomain(kernel)
  const node = openNode(kernel, platform)
  return {
    kernel,
    platform,
    reserved: openReservedWords(kernel),
    changes: openChanges(kernel, node),
    node,
    newCode,
    lookAlikes: openLookAlikes(settings['links.protected_hosts']),
    patterns: openBlockedPatterns(kernel),
    reputation: settings['links.url_reputation'] === 'web_risk' ? openWebRisk(kernel) : null,
    lookUpTxt: openTxtLookup(settings),
    jobs,
  }
}
