// Browsers start no Worker for a page that was opened as a file. There its script runs in a hidden frame, so that the
// search works without a server. The theme's script looks for this name, to find other scripts from the frame.
if (location.protocol === "file:") {
  window.IFrameWorker = window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.receive = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      document.documentElement.append(frame);
      this.scope = frame.contentWindow;
      this.scope.document.open();
      this.scope.document.write(
        `<script>
          postMessage = frameElement.receive;
          importScripts = (...urls) => urls.reduce((before, src) => before.then(() => new Promise((onload, onerror) =>
            document.head.append(Object.assign(document.createElement("script"), { src, onload, onerror })))),
            Promise.resolve());
        </` + `script><script src="${new URL(url, document.baseURI)}"></` + `script>`,
      );
      this.scope.document.close();
      this.loaded = new Promise((done) => (frame.onload = done));
    }
    postMessage(data) {
      this.loaded.then(() => this.scope.dispatchEvent(new MessageEvent("message", { data })));
    }
    terminate() {}
  };
}
