// Disabled controls are focusable and fade in their colours, because opacity would fade the focus ring.
import { MenuList, MenuProvider } from '@ariakit/react/menu'
import type { ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { Button } from '../../../../web/ui/button.tsx'
import { IconButton } from '../../../../web/ui/icon-button.tsx'
import { MenuPanelItem } from '../../../../web/ui/overlay-panels.tsx'
import { Switch } from '../../../../web/ui/switch.tsx'

const disabledReason = 'Not now'

test.each<[string, ReactNode]>([
  ...(['primary', 'secondary', 'ghost', 'danger', 'danger-outline'] as const).map((variant): [string, ReactNode] => [
    `a button, ${variant}`,
    <Button key={variant} variant={variant} disabledReason={disabledReason}>
      Save
    </Button>,
  ]),
  [
    'an icon',
    <IconButton key="icon" label="Send" disabledReason={disabledReason}>
      <i />
    </IconButton>,
  ],
  [
    'what a menu offers',
    <MenuProvider key="item" open>
      <MenuList>
        <MenuPanelItem disabledReason={disabledReason}>Leave</MenuPanelItem>
      </MenuList>
    </MenuProvider>,
  ],
  ['a switch', <Switch key="switch" label="Enter sends" checked onChange={() => {}} disabledReason={disabledReason} />],
])('%s', (_what, control) => {
  const [, classes = ''] =
    /aria-disabled="true"[^>]*class="([^"]*)"|class="([^"]*)"[^>]*aria-disabled="true"/
      .exec(renderToStaticMarkup(control))
      ?.filter(Boolean) ?? []
  expect(classes.split(' ').filter((name) => name.startsWith('aria-disabled:opacity'))).toEqual([])
  // In their colours, or in their content.
  expect(classes).toMatch(/aria-disabled:(?:bg-\S+\/50|text-\S+\/50|\*:opacity-50)/)
})
