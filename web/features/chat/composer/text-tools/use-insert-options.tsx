/** Options of the list: prompts of the user and of organizations for `/`, or models that accept the next message for `@`. */
import { useNavigate } from '@tanstack/react-router'
import { FileText, Plus, UsersRound } from 'lucide-react'
import type { ReactNode } from 'react'
import { wordsOf } from '../../../../../worker/contract/excerpt.ts'
import { foundIn } from '../../../../lib/match-words.ts'
import { creditsPerMessage } from '../../../../lib/model-price.ts'
import { useServerNow } from '../../../../lib/server-clock.ts'
import { useMe, useModels } from '../../../../sync/hooks.ts'
import { usePrompts } from '../../../../sync/prompts.ts'
import type { ModelRow } from '../../../../sync/rows.ts'
import { MakerIcon } from '../../../../ui/maker-icon.tsx'
import { modelProblem, modelsShown, pinnedFilter, pinsOf } from '../../models/catalogue.ts'
import { t } from '../texts/en.ts'
import type { Trigger } from './insert-trigger.ts'

export type InsertOption = {
  readonly id: string
  readonly title: string
  readonly detail: string
  readonly icon: ReactNode
} & ({ readonly kind: 'prompt'; readonly text: string } | { readonly kind: 'model' } | { readonly kind: 'link'; readonly open: () => void })

export function useInsertOptions(trigger: Trigger | null): readonly InsertOption[] {
  const prompts = usePromptOptions(trigger?.query ?? '')
  const models = useModelOptions(trigger?.query ?? '')
  if (!trigger) return []
  return trigger.kind === 'prompt' ? prompts : models
}

function usePromptOptions(query: string): readonly InsertOption[] {
  const { own, shared, isComplete } = usePrompts()
  const navigate = useNavigate()
  const mine = own.map(({ id, name, text }) => ({ ...promptOption(id, name, text), icon: <FileText aria-hidden="true" /> }))
  const others = shared.map(({ prompt: { id, name, text }, organization }) => ({
    ...promptOption(id, name, text),
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
  return foundIn(all, words, ({ title, detail }) => ({ title, words: detail, standing: undefined })).map(({ item }) => item)
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
  // A query of punctuation only has no words, and would list all models.
  if (query !== '' && wordsOf(query).length === 0) return []
  return modelsShown(models, {
    search: query,
    filter: pinnedFilter,
    selectedId: undefined,
    pins: pinsOf(me),
    plan: me?.plan,
    isRefused: (model) => problemOf(model) !== null,
  })
    .filter((model) => problemOf(model) === null)
    .map((model) => ({
      kind: 'model',
      id: model.id,
      title: model.name,
      detail: creditsPerMessage(model),
      icon: <MakerIcon maker={model.icon} />,
    }))
}
