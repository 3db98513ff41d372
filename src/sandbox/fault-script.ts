/**
 * The failures that a vendor will simulate: rules in the order in which they were given. The first
 * matching rule is applied. It is used up after its number of times. A script belongs to the
 * running process and is not stored, because it is part of an experiment.
 */
import { newId } from '#dodeca/kernel'

export type Scripted<Rule> = { readonly id: string; readonly rule: Rule; left: number }

export type FaultScript<Rule, Facts> = {
  add(rule: Rule, times: number): Scripted<Rule>
  /** Returns the rule that applies now, if there is one, and counts its use. */
  take(facts: Facts): Rule | undefined
  /** Rules that can still apply. */
  list(): readonly Scripted<Rule>[]
  clear(): void
}

export function openFaultScript<Rule, Facts>(
  matches: (rule: Rule, facts: Facts) => boolean,
): FaultScript<Rule, Facts> {
  let rules: Scripted<Rule>[] = []
  return {
    add: (rule, times) => {
      const scripted = { id: newId(), rule, left: times }
      rules.push(scripted)
      return scripted
    },
    take: facts => {
      const struck = rules.find(one => matches(one.rule, facts))
      if (!struck) return undefined
      struck.left--
      if (struck.left === 0) rules = rules.filter(one => one !== struck)
      return struck.rule
    },
    list: () => rules,
    clear: () => {
      rules = []
    },
  }
}
