/** Finds the commands that match the query, best first. No side effects. */
import { foundIn } from '../../lib/match-words.ts'
import type { Command, CommandGroup, CommandWithChoices } from '../../ui/command.ts'

/** Chosen: more results of one kind do not help. */
const maxPerGroup = 12

/** All commands without a query; otherwise the matching ones, with their matching choices. */
export function foundGroups(groups: readonly CommandGroup[], words: readonly string[]): readonly CommandGroup[] {
  if (words.length === 0) return groups
  return groups.flatMap(({ name, commands }) => {
    const found = ranked(commands.flatMap(withChoices), words).slice(0, maxPerGroup)
    return found.length > 0 ? [{ name, commands: found }] : []
  })
}

/** A choice also matches by its command: "theme claude". */
const withChoices = (command: Command): readonly Command[] => [
  command,
  ...(command.choices ?? []).map((choice) => ({ ...choice, words: [choice.words, command.title].filter(Boolean).join(' ') })),
]

export const ranked = (commands: readonly Command[], words: readonly string[]): readonly Command[] =>
  foundIn(commands, words, ({ title, words: others, isRefused }) => ({ title, words: others, standing: isRefused ? 'refused' : 'usable' }))
    // Partial words match titles only.
    .filter(({ match }) => match < 4)
    .map(({ item }) => item)

export const commandWithChoices = (groups: readonly CommandGroup[], id: string): CommandWithChoices | undefined =>
  groups
    .flatMap(({ commands }) => commands)
    .filter((command) => command.choices !== undefined)
    .find((command) => command.id === id)
