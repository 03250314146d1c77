/** All models, and the ones pinned in the picker. The last pin cannot be removed. */
import { useEffect, useState } from 'react'
import { modelRefusal } from '../../../worker/contract/access.ts'
import { defaultPins } from '../../../worker/contract/model-choice.ts'
import { paintText } from '../../lib/i18n/first-paint-text.ts'
import { creditsPerMessage, tokenPrices } from '../../lib/model-price.ts'
import { refreshModels } from '../../lib/refresh-models.ts'
import { refusalSentence } from '../../lib/refusals/sentence.ts'
import { type Actions, useActions } from '../../sync/actions.ts'
import { useMe, useModels } from '../../sync/hooks.ts'
import type { Me, ModelRow } from '../../sync/rows.ts'
import { Badge } from '../../ui/badge.tsx'
import { CapabilityBadges } from '../../ui/capability-badges.tsx'
import { MakerIcon } from '../../ui/maker-icon.tsx'
import { Delayed, Skeleton } from '../../ui/skeleton.tsx'
import { Switch } from '../../ui/switch.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { saveSetting } from './save-setting.ts'
import { t } from './texts/t.ts'

export function ModelsPage() {
  const me = useMe()
  const { models, isComplete } = useModels()
  const actions = useActions()
  const [search, setSearch] = useState('')
  useEffect(refreshModels, [])
  if (!me || (models.length === 0 && !isComplete)) {
    return (
      <Delayed>
        <Skeleton className="h-96" />
      </Delayed>
    )
  }
  const query = search.trim().toLowerCase()
  const found = models.filter(
    ({ name, description, unavailable }) =>
      `${name} ${description}`.toLowerCase().includes(query) && (query !== '' || unavailable !== 'model_retired'),
  )
  return (
    <>
      <p className="mb-5 max-w-prose text-muted-foreground text-pretty">{t('modelsHint')}</p>
      <TextField label={t('findModel')} type="search" value={search} onValueChange={setSearch} />
      <ul className="mt-4 divide-y">
        {found.map((model) => (
          <ModelItem key={model.id} model={model} me={me} actions={actions} />
        ))}
      </ul>
      {found.length === 0 && <p className="py-6 text-muted-foreground">{t('noModels')}</p>}
    </>
  )
}

function ModelItem({ model, me, actions }: { readonly model: ModelRow; readonly me: Me; readonly actions: Actions }) {
  const pins = me.setting?.pinnedModels ?? defaultPins
  const isPinned = pins.includes(model.id)
  const toggle = () => {
    const next = isPinned ? pins.filter((id) => id !== model.id) : [...pins, model.id]
    void saveSetting(actions, { pinnedModels: [...next] })
  }
  const refusal = modelRefusal(me.plan, model)
  return (
    <li className="flex items-start gap-3 py-3.5">
      <MakerIcon maker={model.icon} className="mt-0.5 size-5 text-muted-foreground" />
      <div className="min-w-0 flex-1">
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="font-medium">{model.name}</span>
          {model.access === 'premium_required' && (
            <Badge tone="accent" {...(refusal && !model.unavailable && { hint: refusalSentence(refusal) })}>
              {paintText('pro')}
            </Badge>
          )}
          {model.unavailable && <Badge {...(refusal && { hint: refusalSentence(refusal) })}>{t('unavailable')}</Badge>}
          {refusal?.code === 'account_required' && <Badge hint={refusalSentence(refusal)}>{t('accountBadge')}</Badge>}
          <span className="text-xs text-muted-foreground">{creditsPerMessage(model)}</span>
        </div>
        <p className="mt-0.5 text-muted-foreground">{model.description}</p>
        <div className="mt-1.5 flex flex-wrap items-center gap-x-3 gap-y-1">
          <span className="flex gap-1">
            <CapabilityBadges has={model.capabilities ?? []} />
          </span>
          <span className="text-xs text-muted-foreground">{tokenPrices(model)}</span>
        </div>
      </div>
      <Switch
        label={t('pinModel', { model: model.name })}
        checked={isPinned}
        onChange={toggle}
        disabledReason={isPinned && pins.length === 1 ? refusalSentence({ code: 'last_pin' }) : undefined}
      />
    </li>
  )
}
