/**
 * Options of the list: commands, and prompts of the user, of organizations and of servers for `/`; models, and resources of servers for `@`. After a
 * space, only a name keeps the list open: the words may be the rest of the message.
 */
import { useNavigate } from '@tanstack/react-router'
import { FileCog, FileSymlink, FileText, Lock, Plus, UsersRound } from 'lucide-react'
import type { ReactNode } from 'react'
import { wordsOf } from '../../../../../worker/contract/threads/search.ts'
import { fileOrigin, type Origin } from '../../../../../worker/contract/tools/taint.ts'
import { isSourceOn } from '../../../../../worker/contract/tools/tool-servers.ts'
import { foundIn } from '../../../../lib/match-words.ts'
import { creditsPerMessage } from '../../../../lib/models.ts'
import type { UpsellReason } from '../../../../lib/overlays.ts'
import { pageSettings } from '../../../../lib/page-settings.ts'
import { refusalSentence } from '../../../../lib/refusals/sentence.ts'
import { useServerNow } from '../../../../lib/server-clock.ts'
import { useMe, useModels } from '../../../../sync/hooks.ts'
import { usePrompts } from '../../../../sync/prompts.ts'
import type { ModelRow } from '../../../../sync/rows.ts'
import { type ServerSource, useServerSources } from '../../../../sync/tool-servers.ts'
import { MakerIcon } from '../../../../ui/maker-icon.tsx'
import { modelProblem, modelsNamed, modelsShown, pinnedFilter, pinsOf } from '../../models/catalogue.ts'
import { offerFor } from '../../models/offer.ts'
import { isLockedMode, modeProblem } from '../mode-problem.ts'
import { type ChosenMode, chosenModes, modeDescription, modeIcons, modeName } from '../modes.ts'
import type { ChosenEntry } from '../server-inserts/server-choice.ts'
import { t as serverText } from '../server-inserts/texts/en.ts'
import { t } from '../texts/en.ts'
import { sourceLabel } from '../tool-sources.ts'

/** The name before the caret that opens a list: `/` for prompts, `@` for models. */
export type Trigger = {
  readonly kind: 'prompt' | 'model'
  /** Index of `/` or `@`. */
  readonly start: number
  /** Index of the caret, which is the end of the name. */
  readonly end: number
  /** The name without `/` or `@`. Names contain spaces, so text that follows also belongs to it until no option matches. */
  readonly query: string
}

/** Chosen: a longer text is no name. */
const maxQueryChars = 40

/** Null if `/` or `@` is within a word, as in a URL or an email address, or within code. */
export function triggerAt(text: string, caret: number): Trigger | null {
  const before = text.slice(0, caret)
  const start = before.search(/(?<=^|\s)[/@](?:\S(?:(?!\s[/@]).)*)?$/)
  const query = before.slice(start + 1)
  if (start === -1 || query.length > maxQueryChars || isInCode(before)) return null
  return { kind: before[start] === '/' ? 'prompt' : 'model', start, end: caret, query }
}

/** True after an opening fence, or after an opening backtick in the same line. */
function isInCode(before: string): boolean {
  const lines = before.split('\n')
  const isInFence = lines.filter((line) => /^ {0,3}(`{3,}|~{3,})/.test(line)).length % 2 === 1
  const ticks = (lines.at(-1) ?? '').match(/`+/g)?.length ?? 0
  return isInFence || ticks % 2 === 1
}

export type InsertOption = {
  readonly id: string
  readonly title: string
  readonly detail: string
  readonly icon: ReactNode
  /** `id`: of a server. */
  readonly group?: { readonly id: string; readonly label: string }
} /** `origin`: of a prompt that the user did not write. */ & (
  | { readonly kind: 'prompt'; readonly text: string; readonly origin?: Origin }
  | { readonly kind: 'model'; readonly offer: UpsellReason | null }
  | { readonly kind: 'mode'; readonly mode: ChosenMode; readonly offer: UpsellReason | null }
  | { readonly kind: 'link'; readonly open: () => void }
  | { readonly kind: 'server'; readonly server: { readonly id: string; readonly name: string }; readonly chosen: ChosenEntry }
)

/** `offTools`: the sources of tools whose switch the thread has moved. */
export function useInsertOptions(trigger: Trigger | null, offTools: readonly string[]): readonly InsertOption[] {
  const commands = useCommandOptions(trigger?.query ?? '')
  const prompts = usePromptOptions(trigger?.query ?? '')
  const models = useModelOptions(trigger?.query ?? '')
  const ofServers = useServerOptions(trigger, offTools)
  if (!trigger) return []
  if (trigger.kind === 'model') return [...models, ...ofServers]
  // A typed name may be in the text of a prompt, and the first option is chosen with Enter.
  return trigger.query === '' && prompts[0]?.kind === 'prompt'
    ? [...prompts, ...commands, ...ofServers]
    : [...commands, ...prompts, ...ofServers]
}

/** Chosen: as many as a user looks through. The others are found by their names. */
const maxShownOfServer = 20

/** The resources for `@` and the prompts for `/`, by server. Their servers are synced, so the list needs no network. */
function useServerOptions(trigger: Trigger | null, offTools: readonly string[]): readonly InsertOption[] {
  const servers = useServerSources()
  if (!trigger) return []
  const { kind, query } = trigger
  const words = wordsOf(query)
  if (query !== '' && words.length === 0) return []
  return servers.flatMap((server) => {
    if (!isSourceOn(server, offTools)) return []
    const all = kind === 'prompt' ? promptsOf(server) : resourcesOf(server)
    const found =
      words.length === 0
        ? all
        : foundIn(all, words, ({ title, words: others }) => ({ title, words: others, standing: undefined })).flatMap(({ item, match }) =>
            /\s/.test(query) && match > 1 ? [] : item,
          )
    const name = sourceLabel(server)
    const isCut = found.length > maxShownOfServer
    const label = isCut ? serverText('moreToFind', { name, shown: maxShownOfServer, count: found.length }) : name
    return found.slice(0, maxShownOfServer).map(({ words: _words, ...option }) => ({ ...option, group: { id: server.id, label } }))
  })
}

type ServerOption = Extract<InsertOption, { readonly kind: 'server' }> & { readonly words: string }

const resourcesOf = ({ id, name, resources }: ServerSource): readonly ServerOption[] =>
  (resources ?? []).map((entry, index) => ({
    kind: 'server',
    id: `${id}-resource-${index}`,
    title: entry.title,
    detail: entry.uri,
    words: `${entry.name} ${entry.uri}`,
    icon: entry.args ? <FileCog aria-hidden="true" /> : <FileSymlink aria-hidden="true" />,
    server: { id, name },
    chosen: { kind: 'resource', entry },
  }))

const promptsOf = ({ id, name, prompts }: ServerSource): readonly ServerOption[] =>
  (prompts ?? []).map((entry, index) => ({
    kind: 'server',
    id: `${id}-prompt-${index}`,
    title: entry.title,
    detail: entry.description.replace(/\s+/g, ' '),
    words: entry.name,
    icon: <FileSymlink aria-hidden="true" />,
    server: { id, name },
    chosen: { kind: 'prompt', entry },
  }))

/** `/search` and `/research` at the start of a message, also by their names in the user's language. */
export function commandIn(text: string): { readonly mode: ChosenMode; readonly end: number } | null {
  const word = /^\/(\S+)\s/.exec(text)?.[1]?.toLowerCase()
  const mode = pageSettings.search && chosenModes.find((option) => option === word || modeName(option).toLowerCase() === word)
  return mode ? { mode, end: (word ?? '').length + 2 } : null
}

/** Search and Research for this message. */
function useCommandOptions(query: string): readonly InsertOption[] {
  const me = useMe()
  const nowMs = useServerNow()
  const wanted = query.toLowerCase()
  if (!me || !pageSettings.search) return []
  return chosenModes
    .filter((mode) => [mode, modeName(mode).toLowerCase()].some((name) => name.startsWith(wanted)))
    .map((mode) => {
      const Icon = modeIcons[mode]
      const problem = modeProblem(mode, me, true, nowMs)
      return {
        kind: 'mode',
        id: mode,
        mode,
        title: modeName(mode),
        detail: problem ? refusalSentence(problem) : modeDescription(mode, me, nowMs),
        icon: problem ? <Lock aria-hidden="true" /> : <Icon aria-hidden="true" />,
        offer: isLockedMode(problem) && pageSettings.billing ? 'research' : null,
      }
    })
}

function usePromptOptions(query: string): readonly InsertOption[] {
  const { own, shared, isComplete } = usePrompts()
  const navigate = useNavigate()
  const mine = own.map(({ id, name, text }) => ({ ...promptOption(id, name, text), icon: <FileText aria-hidden="true" /> }))
  const others = shared.map(({ prompt: { id, name, text }, organization }) => ({
    ...promptOption(id, name, text),
    origin: fileOrigin,
    detail: t('sharedWith', { organization }),
    icon: <UsersRound aria-hidden="true" />,
  }))
  const all: readonly InsertOption[] = [...mine, ...others]
  if (all.length === 0 && isComplete && query === '') {
    const open = () => void navigate({ to: '/account/prompts' })
    const icon = <Plus aria-hidden="true" />
    return [{ kind: 'link', id: 'create', title: t('createPrompt'), detail: t('createPromptDescription'), icon, open }]
  }
  const words = wordsOf(query)
  if (words.length === 0) return query === '' ? all : []
  const isNameOnly = /\s/.test(query)
  return foundIn(all, words, ({ title, detail }) => ({ title, words: detail, standing: undefined })).flatMap(({ item, match }) =>
    isNameOnly && match > 1 ? [] : item,
  )
}

const promptOption = (id: string, title: string, text: string) => ({
  kind: 'prompt' as const,
  id,
  title,
  text,
  detail: text.replace(/\s+/g, ' ').slice(0, 200),
})

function useModelOptions(query: string): readonly InsertOption[] {
  const me = useMe()
  const { models } = useModels()
  const nowMs = useServerNow()
  const problemOf = (model: ModelRow) => modelProblem(model, me, nowMs)
  const isRefused = (model: ModelRow) => problemOf(model) !== null
  const view = { search: '', filter: pinnedFilter, selectedId: undefined, pins: pinsOf(me), plan: me?.plan, isRefused }
  const shown = query === '' ? modelsShown(models, view).filter((model) => !isRefused(model)) : modelsNamed(models, query, isRefused)
  return shown.map((model) => {
    const problem = problemOf(model)
    return {
      kind: 'model',
      offer: offerFor(model, problem),
      id: model.id,
      title: model.name,
      detail: problem ? refusalSentence(problem) : creditsPerMessage(model),
      icon: problem ? <Lock aria-hidden="true" /> : <MakerIcon maker={model.icon} />,
    }
  })
}
