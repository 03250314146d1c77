/** Palette commands that select the model of the next messages. */
import { useNavigate, useParams } from '@tanstack/react-router'
import { Blocks } from 'lucide-react'
import { newThreadKey } from '../../../../worker/contract/threads/draft-key.ts'
import { creditsPerMessage } from '../../../lib/models.ts'
import { useLoginSearch } from '../../../lib/navigation.ts'
import { openUpsell } from '../../../lib/overlays.ts'
import { refusalSentence } from '../../../lib/refusals/sentence.ts'
import { serverNowMs, useServerNow } from '../../../lib/server-clock.ts'
import { useModels } from '../../../sync/hooks.ts'
import type { ModelRow } from '../../../sync/rows.ts'
import { useThread } from '../../../sync/thread.ts'
import type { Command } from '../../../ui/command.ts'
import { MakerIcon, makerName } from '../../../ui/maker-icon.tsx'
import { toast } from '../../../ui/toaster.tsx'
import { modelProblem, pinnedModels, pinsOf } from '../models/catalogue.ts'
import { offerFor } from '../models/offer.ts'
import { t } from '../models/texts/en.ts'
import { useChooseModel } from './choose-model.ts'
import { useNextModel } from './next-model.ts'

export function useModelCommands(): readonly Command[] {
  const { threadId } = useParams({ strict: false })
  const { thread } = useThread(threadId)
  const draftKey = thread?.id ?? newThreadKey
  const next = useNextModel(thread, draftKey)
  const { me } = next
  const { models } = useModels()
  const chooseModel = useChooseModel(draftKey, next)
  const navigate = useNavigate()
  const loginSearch = useLoginSearch()
  const nowMs = useServerNow()
  if (!me || models.length === 0) return []
  /** A refused choice opens the page that can change it, or shows the reason. */
  const choose = (model: ModelRow) => {
    const problem = modelProblem(model, me, serverNowMs())
    if (!problem) return chooseModel(model.id)
    const offer = offerFor(model, problem)
    if (offer) return openUpsell(offer)
    if (problem.code === 'account_required') return void navigate({ to: '/login', search: loginSearch })
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
