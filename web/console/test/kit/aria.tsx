// Every component of React Aria that the console is to use, each in its simplest form.
import { useState } from "react";
import * as A from "react-aria-components";

const rows = Array.from({ length: 200 }, (_, i) => ({ id: i, name: `Row ${i}` }));
const toasts = new A.UNSTABLE_ToastQueue<string>();

function List({ label }: { label: string }) {
  return (
    <A.Popover>
      <A.ListBox aria-label={label}>
        <A.ListBoxItem id="one">One</A.ListBoxItem>
        <A.ListBoxItem id="two">Two</A.ListBoxItem>
      </A.ListBox>
    </A.Popover>
  );
}

export function Overlays() {
  return (
    <section>
      <A.DialogTrigger>
        <A.Button>Open dialog</A.Button>
        <A.ModalOverlay isDismissable>
          <A.Modal>
            <A.Dialog>
              <A.Heading slot="title">A dialog</A.Heading>
              <A.Button slot="close">Close dialog</A.Button>
            </A.Dialog>
          </A.Modal>
        </A.ModalOverlay>
      </A.DialogTrigger>
      <A.DialogTrigger>
        <A.Button>Open popover</A.Button>
        <A.Popover>
          <A.OverlayArrow>
            <svg width="8" height="8" viewBox="0 0 8 8">
              <path d="M0 0L4 4L8 0" />
            </svg>
          </A.OverlayArrow>
          <A.Dialog aria-label="A popover">Text</A.Dialog>
        </A.Popover>
      </A.DialogTrigger>
      <A.MenuTrigger>
        <A.Button>Open menu</A.Button>
        <A.Popover>
          <A.Menu>
            <A.MenuItem>First</A.MenuItem>
            <A.SubmenuTrigger>
              <A.MenuItem>More</A.MenuItem>
              <A.Popover>
                <A.Menu>
                  <A.MenuItem>Inner</A.MenuItem>
                </A.Menu>
              </A.Popover>
            </A.SubmenuTrigger>
          </A.Menu>
        </A.Popover>
      </A.MenuTrigger>
      <A.TooltipTrigger delay={0}>
        <A.Button>Has tooltip</A.Button>
        <A.Tooltip>A tooltip</A.Tooltip>
      </A.TooltipTrigger>
      <A.Button onPress={() => toasts.add("A toast", { timeout: 5000 })}>Show toast</A.Button>
      <A.UNSTABLE_ToastRegion queue={toasts}>
        {({ toast }) => (
          <A.UNSTABLE_Toast toast={toast}>
            <A.UNSTABLE_ToastContent>
              <A.Text slot="title">{toast.content}</A.Text>
            </A.UNSTABLE_ToastContent>
            <A.Button slot="close">Close toast</A.Button>
          </A.UNSTABLE_Toast>
        )}
      </A.UNSTABLE_ToastRegion>
    </section>
  );
}

export function Fields() {
  return (
    <A.Form onSubmit={(e) => e.preventDefault()}>
      <A.TextField isRequired name="text">
        <A.Label>Text</A.Label>
        <A.Input />
        <A.FieldError />
      </A.TextField>
      <A.TextField>
        <A.Label>Long text</A.Label>
        <A.TextArea />
      </A.TextField>
      <A.SearchField>
        <A.Label>Search</A.Label>
        <A.Input />
        <A.Button>Clear</A.Button>
      </A.SearchField>
      <A.NumberField defaultValue={3}>
        <A.Label>Number</A.Label>
        <A.Group>
          <A.Button slot="decrement">Less</A.Button>
          <A.Input />
          <A.Button slot="increment">More</A.Button>
        </A.Group>
      </A.NumberField>
      <A.Select>
        <A.Label>Select</A.Label>
        <A.Button>
          <A.SelectValue />
        </A.Button>
        <List label="Select" />
      </A.Select>
      <A.ComboBox>
        <A.Label>Combo</A.Label>
        <A.Input />
        <A.Button>Open combo</A.Button>
        <List label="Combo" />
      </A.ComboBox>
      <A.Checkbox>Check</A.Checkbox>
      <A.CheckboxGroup>
        <A.Label>Checks</A.Label>
        <A.Checkbox value="a">Check A</A.Checkbox>
      </A.CheckboxGroup>
      <A.RadioGroup>
        <A.Label>Radio</A.Label>
        <A.Radio value="a">Radio A</A.Radio>
        <A.Radio value="b">Radio B</A.Radio>
      </A.RadioGroup>
      <A.Switch>Switch</A.Switch>
      <A.Slider defaultValue={20}>
        <A.Label>Slider</A.Label>
        <A.SliderOutput />
        <A.SliderTrack>
          <A.SliderThumb />
        </A.SliderTrack>
      </A.Slider>
      <A.ToggleButtonGroup>
        <A.ToggleButton id="x">Toggle</A.ToggleButton>
      </A.ToggleButtonGroup>
      <A.DropZone>
        <A.Text slot="label">Drop files</A.Text>
        <A.FileTrigger>
          <A.Button>Choose files</A.Button>
        </A.FileTrigger>
      </A.DropZone>
      <A.Button type="submit">Submit</A.Button>
    </A.Form>
  );
}

export function Dates() {
  return (
    <section>
      <A.DatePicker>
        <A.Label>Day</A.Label>
        <A.Group>
          <A.DateInput>{(segment) => <A.DateSegment segment={segment} />}</A.DateInput>
          <A.Button>Open calendar</A.Button>
        </A.Group>
        <A.Popover>
          <A.Dialog>
            <A.Calendar>
              <A.Button slot="previous">Before</A.Button>
              <A.Heading />
              <A.Button slot="next">After</A.Button>
              <A.CalendarGrid>{(date) => <A.CalendarCell date={date} />}</A.CalendarGrid>
            </A.Calendar>
          </A.Dialog>
        </A.Popover>
      </A.DatePicker>
      <A.RangeCalendar aria-label="Days">
        <A.Button slot="previous">Before</A.Button>
        <A.Heading />
        <A.Button slot="next">After</A.Button>
        <A.CalendarGrid>{(date) => <A.CalendarCell date={date} />}</A.CalendarGrid>
      </A.RangeCalendar>
      <A.TimeField>
        <A.Label>Time</A.Label>
        <A.DateInput>{(segment) => <A.DateSegment segment={segment} />}</A.DateInput>
      </A.TimeField>
    </section>
  );
}

function SortableList() {
  const [items, setItems] = useState(["Apple", "Pear", "Plum"]);
  const { dragAndDropHooks } = A.useDragAndDrop({
    getItems: (keys) => [...keys].map((key) => ({ "text/plain": String(key) })),
    onReorder: ({ keys, target }) =>
      setItems((old) => {
        const moved = old.filter((item) => keys.has(item));
        const rest = old.filter((item) => !keys.has(item));
        const at = rest.indexOf(String(target.key)) + (target.dropPosition === "after" ? 1 : 0);
        return [...rest.slice(0, at), ...moved, ...rest.slice(at)];
      }),
  });
  return (
    <A.GridList
      aria-label="Order"
      items={items.map((id) => ({ id }))}
      dragAndDropHooks={dragAndDropHooks}
      selectionMode="multiple"
    >
      {({ id }) => (
        <A.GridListItem textValue={id}>
          <A.Button slot="drag">Drag {id}</A.Button>
          {id}
        </A.GridListItem>
      )}
    </A.GridList>
  );
}

export function Collections() {
  const { contains } = A.useFilter({ sensitivity: "base" });
  return (
    <section>
      <A.Table aria-label="Table" selectionMode="multiple">
        <A.TableHeader>
          <A.Column isRowHeader allowsSorting id="name">
            Name
          </A.Column>
          <A.Column>State</A.Column>
        </A.TableHeader>
        <A.TableBody>
          <A.Row id="a">
            <A.Cell>Row A</A.Cell>
            <A.Cell>ready</A.Cell>
          </A.Row>
        </A.TableBody>
      </A.Table>
      <SortableList />
      <A.Virtualizer layout={A.ListLayout} layoutOptions={{ rowHeight: 24 }}>
        <A.ListBox aria-label="Long list" items={rows} className="virtual">
          {(row) => <A.ListBoxItem>{row.name}</A.ListBoxItem>}
        </A.ListBox>
      </A.Virtualizer>
      <A.Tree aria-label="Tree">
        <A.TreeItem id="root" textValue="Root">
          <A.TreeItemContent>
            <A.Button slot="chevron">Open root</A.Button>
            Root
          </A.TreeItemContent>
          <A.TreeItem id="leaf" textValue="Leaf">
            <A.TreeItemContent>Leaf</A.TreeItemContent>
          </A.TreeItem>
        </A.TreeItem>
      </A.Tree>
      <A.TagGroup onRemove={() => {}}>
        <A.Label>Tags</A.Label>
        <A.TagList>
          <A.Tag id="t" textValue="Tag">
            Tag <A.Button slot="remove">Remove tag</A.Button>
          </A.Tag>
        </A.TagList>
      </A.TagGroup>
      <A.Autocomplete filter={contains}>
        <A.TextField aria-label="Commands">
          <A.Input />
        </A.TextField>
        <A.Menu aria-label="Found">
          <A.MenuItem>Alpha</A.MenuItem>
          <A.MenuItem>Beta</A.MenuItem>
        </A.Menu>
      </A.Autocomplete>
    </section>
  );
}

export function Structure() {
  return (
    <section>
      <A.Tabs>
        <A.TabList aria-label="Tabs">
          <A.Tab id="1">Tab one</A.Tab>
          <A.Tab id="2">Tab two</A.Tab>
        </A.TabList>
        <A.TabPanel id="1">Panel one</A.TabPanel>
        <A.TabPanel id="2">Panel two</A.TabPanel>
      </A.Tabs>
      <A.Disclosure>
        <A.Heading>
          <A.Button slot="trigger">Disclose</A.Button>
        </A.Heading>
        <A.DisclosurePanel>Hidden text</A.DisclosurePanel>
      </A.Disclosure>
      <A.Toolbar aria-label="Tools">
        <A.Button>Tool</A.Button>
        <A.Separator orientation="vertical" />
      </A.Toolbar>
      <A.Breadcrumbs>
        <A.Breadcrumb>
          <A.Link href="#a">Up</A.Link>
        </A.Breadcrumb>
        <A.Breadcrumb>
          <A.Link>Here</A.Link>
        </A.Breadcrumb>
      </A.Breadcrumbs>
      <A.ProgressBar value={30} aria-label="Progress" />
      <A.Meter value={30} aria-label="Meter" />
    </section>
  );
}
