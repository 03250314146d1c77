/** Palette commands that select the model of the next messages. */
import { useNavigate } from '@tanstack/react-router'
import { Blocks } from 'lucide-react'
import { creditsPerMessage } from '../../../lib/models.ts'
import { useLoginSearch } from '../../../lib/navigation.ts'
import { openUpsell } from '../../../lib/overlays.ts'
import { pageSettings } from '../../../lib/page-settings.ts'
import { refusalSentence } from '../../../lib/refusals/sentence.ts'
import { serverNowMs, useServerNow } from '../../../lib/server-clock.ts'
import { useSaveSettings } from '../../../sync/act.ts'
import { useMe, useModels } from '../../../sync/hooks.ts'
import type { ModelRow } from '../../../sync/rows.ts'
import type { Command } from '../../../ui/command.ts'
import { MakerIcon, makerName } from '../../../ui/maker-icon.tsx'
import { toastRefusal } from '../../../ui/toast-refusal.ts'
import { toast } from '../../../ui/toaster.tsx'
import { modelProblem, pinnedModels, pinsOf } from './catalogue.ts'
import { t } from './texts/en.ts'

export function useModelCommands(): readonly Command[] {
  const me = useMe()
  const { models } = useModels()
  const saveSettings = useSaveSettings()
  const navigate = useNavigate()
  const loginSearch = useLoginSearch()
  const nowMs = useServerNow()
  if (!me || models.length === 0) return []
  /** A refused choice opens the page that can change it, or shows the reason. */
  const choose = (model: ModelRow) => {
    const problem = modelProblem(model, me, serverNowMs())
    if (!problem) return void toastRefusal(saveSettings({ modelId: model.id }))
    if (problem.code === 'account_required') return void navigate({ to: '/login', search: loginSearch })
    if (problem.code === 'premium_required' && pageSettings.billing) return openUpsell()
    toast('info', refusalSentence(problem))
  }
  const offered = models.filter(({ unavailable }) => unavailable !== 'model_retired')
  const front = pinnedModels(offered, pinsOf(me), me.plan)
  const pinnedFirst = [...front, ...offered.filter((model) => !front.includes(model))]
  return [
    {
      id: 'model',
      title: t('switchModel'),
      detail: me.model?.name,
      icon: <Blocks aria-hidden="true" />,
      ask: t('whichModel'),
      choices: pinnedFirst.map((model) => {
        const problem = modelProblem(model, me, nowMs)
        return {
          id: `model-${model.id}`,
          title: model.name,
          words: makerName(model.icon),
          detail: problem ? refusalSentence(problem) : creditsPerMessage(model),
          icon: <MakerIcon maker={model.icon} />,
          isChosen: model.id === me.model?.id,
          isRefused: problem !== null,
          run: () => choose(model),
        }
      }),
    },
  ]
}
