/** Which commands answer what somebody typed, the best first. Pure. */
import { foundIn } from '../../lib/match-words.ts'
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

export const ranked = (commands: readonly Command[], words: readonly string[]): readonly Command[] =>
  foundIn(commands, words, ({ title, words: others, isRefused }) => ({ title, words: others, standing: isRefused ? 'refused' : 'usable' }))
    // Of what else it answers to, a piece of a word says nothing.
    .filter(({ match }) => match < 4)
    .map(({ item }) => item)

export const commandWithChoices = (groups: readonly CommandGroup[], id: string): CommandWithChoices | undefined =>
  groups
    .flatMap(({ commands }) => commands)
    .filter((command) => command.choices !== undefined)
    .find((command) => command.id === id)
