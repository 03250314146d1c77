/** Shown once after a payment: three things to try that came with PRO. */
import { useNavigate } from '@tanstack/react-router'
import { Columns3, type LucideIcon, Sparkles, Telescope } from 'lucide-react'
import { creditsPerDay } from '../../../../worker/contract/limits.ts'
import type { StarterId } from '../../../../worker/contract/starters.ts'
import { newDraftKey } from '../../../../worker/contract/threads/draft-key.ts'
import { firstPaintText } from '../../../lib/i18n/first-paint-text.ts'
import { pageSettings } from '../../../lib/page-settings.ts'
import { useMe, useModels } from '../../../sync/hooks.ts'
import type { ModelRow } from '../../../sync/rows.ts'
import { useSaveSettings } from '../../../sync/save-settings.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { toastRefusal } from '../../../ui/toast-refusal.ts'
import { suggestedModels } from '../models/catalogue.ts'
import { startWith } from './start-with.ts'
import { t } from './texts/en.ts'

export function ProWelcome({ onClose }: { readonly onClose: () => void }) {
  const me = useMe()
  const { models } = useModels()
  const navigate = useNavigate()
  const saveSettings = useSaveSettings()
  const strongest = [...suggestedModels(models, 'pro')].find(([, kind]) => kind === 'smart')?.[0]
  const openNewThread = async () => {
    onClose()
    await navigate({ to: '/' })
  }
  const start = async (id: StarterId) => {
    await openNewThread()
    startWith({ id, isLocked: false }, { draftKey: newDraftKey(false), me, models })
  }
  const choose = async (model: ModelRow) => {
    await openNewThread()
    await toastRefusal(saveSettings({ modelId: model.id }))
  }
  return (
    <Dialog open onClose={onClose} title={t('welcomeToPro')} description={t('welcomeLead', { credits: creditsPerDay.pro })}>
      <div className="mt-4 flex flex-col gap-2">
        {strongest && (
          <Choice
            Icon={Sparkles}
            title={t('tryModel', { model: strongest.name })}
            detail={t('tryModelDetail')}
            onChoose={() => void choose(strongest)}
          />
        )}
        <Choice
          Icon={Columns3}
          title={firstPaintText('starterCompare')}
          detail={firstPaintText('starterCompareDetail')}
          onChoose={() => void start('compare')}
        />
        {pageSettings.search && (
          <Choice
            Icon={Telescope}
            title={firstPaintText('starterResearch')}
            detail={firstPaintText('starterResearchDetail')}
            onChoose={() => void start('research')}
          />
        )}
      </div>
    </Dialog>
  )
}

type ChoiceProps = { readonly Icon: LucideIcon; readonly title: string; readonly detail: string; readonly onChoose: () => void }

const Choice = ({ Icon, title, detail, onChoose }: ChoiceProps) => (
  <button
    type="button"
    className="flex items-start gap-3 rounded-xl border px-3.5 py-3 text-left transition-colors hover:bg-foreground/4"
    onClick={onChoose}
  >
    <Icon aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-accent" />
    <span className="min-w-0 flex-1">
      <span className="block leading-5 font-medium">{title}</span>
      <span className="block text-[0.8125rem] leading-5 text-muted-foreground">{detail}</span>
    </span>
  </button>
)
