/**
 * The menu “Tools”: what the model may use in the thread, and Search or Research for the next message. On narrow windows its items are in the
 * menu of all options (`options-menu.tsx`).
 */
import { CircleSlash2, Globe, Lock, Wrench, X } from 'lucide-react'
import type { Refusal } from '../../../../worker/contract/errors.ts'
import type { TurnMode } from '../../../../worker/contract/models/modes.ts'
import { mutators } from '../../../../worker/contract/mutators.ts'
import { webSource } from '../../../../worker/contract/tools/taint.ts'
import { cx } from '../../../lib/cx.ts'
import { firstPaintText } from '../../../lib/i18n/first-paint-text.ts'
import { pageSettings } from '../../../lib/page-settings.ts'
import { refusalSentence } from '../../../lib/refusals/sentence.ts'
import { useServerNow } from '../../../lib/server-clock.ts'
import { useStored } from '../../../lib/store.ts'
import { settled, useAct } from '../../../sync/act.ts'
import { useProjects } from '../../../sync/organise.ts'
import type { Me, ThreadRow } from '../../../sync/rows.ts'
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '../../../ui/menu.tsx'
import { toastRefusal } from '../../../ui/toast-refusal.ts'
import { tooltip } from '../../../ui/tooltip.tsx'
import { choose, draftOf } from './drafts.ts'
import { isLockedMode, modeProblem } from './mode-problem.ts'
import { allowanceOf, chosenModes, modeDescription, modeIcons, modeName } from './modes.ts'
import { t } from './texts/en.ts'

export type ToolsProps = {
  readonly draftKey: string
  /** Undefined for a new thread. */
  readonly thread: ThreadRow | undefined
  /** The project of a new thread. */
  readonly projectId: string | undefined
  readonly mode: TurnMode
  readonly me: Me
  readonly onChooseMode: (mode: TurnMode) => void
  readonly onRefused: (reason: Refusal) => void
}

const buttonClass =
  'flex h-9 shrink-0 touch-target items-center gap-1.5 rounded-lg px-2 text-sm text-muted-foreground transition-colors hover:bg-foreground/7 hover:text-foreground'

export function ToolsMenu(props: ToolsProps) {
  const { mode, me, onChooseMode } = props
  const { isOn, sources } = useTools(props)
  const nowMs = useServerNow()
  if (sources.length === 0) return null
  const on = sources.filter(({ id }) => isOn(id)).map(({ name }) => name)
  const Icon = mode === 'chat' ? null : modeIcons[mode]
  return (
    <>
      <Menu
        label={firstPaintText('tools')}
        placement="top-start"
        className="w-72"
        trigger={(trigger) => (
          <button
            {...trigger}
            type="button"
            aria-label={firstPaintText('tools')}
            aria-description={on.join(', ') || t('noTools')}
            {...tooltip(on.length > 0 ? t('toolsOn', { names: on.join(', ') }) : t('noTools'))}
            className={cx(buttonClass, 'aria-expanded:bg-foreground/7 aria-expanded:text-foreground', on.length === 0 && 'opacity-60')}
          >
            <Wrench className="size-4" aria-hidden="true" />
            <span aria-hidden="true" className="@max-2xl:hidden">
              {firstPaintText('tools')}
            </span>
          </button>
        )}
      >
        <ToolItems {...props} />
      </Menu>
      {mode !== 'chat' && Icon && (
        <button
          type="button"
          aria-label={t('removeMode', { mode: modeName(mode) })}
          {...tooltip(modeDescription(mode, me, nowMs))}
          onClick={() => onChooseMode('chat')}
          className={cx(buttonClass, 'bg-accent/10 text-xs whitespace-nowrap text-foreground')}
        >
          <Icon className="size-3.5 text-accent" aria-hidden="true" />
          <span className="@max-2xl:sr-only">{modeName(mode)}</span>
          <span className="text-muted-foreground">{t('usesLeft', { left: allowanceOf(mode, me, nowMs).left })}</span>
          <X className="size-3.5 opacity-60" aria-hidden="true" />
        </button>
      )}
    </>
  )
}

export function ToolItems(props: ToolsProps) {
  const { mode, me, onChooseMode, onRefused } = props
  const { sources, isOn, toggle } = useTools(props)
  const nowMs = useServerNow()
  const unusable = me.model && !me.model.capabilities?.includes('tools') ? refusalSentence({ code: 'tools_unsupported' }) : undefined
  return (
    <>
      <MenuLabel>{t('mayUse')}</MenuLabel>
      {sources.map(({ id, name, left }) => (
        <MenuItem
          key={id}
          icon={<Globe aria-hidden="true" />}
          checked={isOn(id) && unusable === undefined}
          isSwitch
          disabledReason={unusable}
          onSelect={() => toggle(id)}
        >
          <WithNote note={left}>{name}</WithNote>
        </MenuItem>
      ))}
      {pageSettings.search && (
        <>
          <MenuSeparator />
          <MenuLabel>{t('forThisMessage')}</MenuLabel>
          {chosenModes.map((option) => {
            const problem = modeProblem(option, me, true, nowMs)
            const Icon = modeIcons[option]
            const isChosen = option === mode
            return (
              <MenuItem
                key={option}
                icon={<Icon aria-hidden="true" />}
                checked={isChosen}
                // The composer shows the offer, or the refusal and an action.
                onSelect={() => (problem && !isChosen ? onRefused(problem) : onChooseMode(isChosen ? 'chat' : option))}
              >
                {problem ? (
                  <span className="flex items-center gap-2">
                    {modeName(option)}
                    {isLockedMode(problem) ? (
                      <Lock aria-hidden="true" className="size-3!" />
                    ) : (
                      <CircleSlash2 aria-hidden="true" className="size-3.5!" />
                    )}
                  </span>
                ) : (
                  <WithNote note={allowanceOf(option, me, nowMs).left}>{modeName(option)}</WithNote>
                )}
              </MenuItem>
            )
          })}
        </>
      )}
    </>
  )
}

const WithNote = ({ note, children }: { readonly note: number; readonly children: string }) => (
  <span className="flex items-center gap-2">
    {children}
    <span className="text-xs text-muted-foreground">{t('usesLeft', { left: note })}</span>
  </span>
)

/** The sources of tools, and which are switched on: in the thread, else in its project. The draft of a new thread holds the choice until then. */
function useTools({ draftKey, thread, projectId, me }: Pick<ToolsProps, 'draftKey' | 'thread' | 'projectId' | 'me'>) {
  const act = useAct()
  const nowMs = useServerNow()
  const { projects } = useProjects()
  const chosen = useStored(draftOf(draftKey), ({ choices }) => choices.offTools)
  const project = projects.find(({ id }) => id === (thread ? thread.projectId : projectId))
  const off = (thread ? thread.offTools : chosen) ?? project?.offTools ?? []
  const sources = pageSettings.search ? [{ id: webSource, name: t('web'), left: allowanceOf('search', me, nowMs).left }] : []
  return {
    sources,
    isOn: (id: string) => !off.includes(id),
    toggle: (id: string) => {
      const offTools = off.includes(id) ? off.filter((other) => other !== id) : [...off, id]
      if (thread) void toastRefusal(settled(act(mutators.threads.setOffTools({ threadId: thread.id, offTools }))))
      else choose(draftKey, { offTools })
    },
  }
}
