/** Which commands answer what somebody typed, the best first. Pure. */
import { matchRank } from '../../lib/match-words.ts'
import type { Command, CommandGroup, CommandWithChoices } from '../../ui/command.ts'

/** More of one kind than this are no answer to anybody. */
const maxPerGroup = 12

/** All of them while nothing is typed; then those that match, with the choices of those that have some. */
export function foundGroups(groups: readonly CommandGroup[], words: readonly string[]): readonly CommandGroup[] {
  if (words.length === 0) return groups
  return groups.flatMap(({ name, commands }) => {
    const found = ranked(commands.flatMap(withChoices), words).slice(0, maxPerGroup)
    return found.length > 0 ? [{ name, commands: found }] : []
  })
}

/** A choice answers to what it is a choice of as well: "theme claude". */
const withChoices = (command: Command): readonly Command[] => [
  command,
  ...(command.choices ?? []).map((choice) => ({ ...choice, words: [choice.words, command.title].filter(Boolean).join(' ') })),
]

export function ranked(commands: readonly Command[], words: readonly string[]): readonly Command[] {
  return commands
    .flatMap((command) => {
      const byTitle = matchRank(words, command.title)
      if (byTitle !== null) return [{ command, rank: byTitle }]
      // What it is called comes before what else it answers to, of which a piece of a word says nothing.
      const byWords = matchRank(words, `${command.title} ${command.words ?? ''}`)
      return byWords === null || byWords === 2 ? [] : [{ command, rank: 3 }]
    })
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ command }) => command)
}

export const commandWithChoices = (groups: readonly CommandGroup[], id: string): CommandWithChoices | undefined =>
  groups
    .flatMap(({ commands }) => commands)
    .filter((command) => command.choices !== undefined)
    .find((command) => command.id === id)
