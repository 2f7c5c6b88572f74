// The search of the site runs in a worker. A browser starts none for a page that was opened from
// disk: there a hidden frame runs the same script. As with a worker, each message is a copy and
// arrives later.
if (location.protocol === "file:") {
  window.Worker = class {
    constructor(url) {
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      const inside = frame.contentWindow;
      inside.postMessage = data => this.later(() => this.onmessage, data);
      this.started = new Promise(resolve => {
        const script = inside.document.createElement("script");
        script.onload = () => resolve(inside);
        script.src = url;
        inside.document.body.append(script);
      });
    }
    later(receiver, data) {
      const event = new MessageEvent("message", { data: structuredClone(data) });
      setTimeout(() => receiver()?.(event));
    }
    postMessage(data) {
      this.started.then(inside => this.later(() => inside.onmessage, data));
    }
    terminate() {}
  };
}
